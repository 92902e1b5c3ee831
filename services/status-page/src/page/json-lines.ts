import { slices } from "@sonde/kit/concurrency/slices";
import { constants, gunzip, gzip } from "node:zlib";
import { promisify } from "node:util";

const deflate = promisify(gzip);
const inflate = promisify(gunzip);

/** What a value may hold once it is inflated: a page of 500 services and 90 days has some 4 MB. */
const mostBytes = 64 * 1024 * 1024;

/** The JSON of an object, in slices, each entry of its lists on a line of its own: so it can be read in slices too. */
export async function writeLines(value: Record<string, unknown>): Promise<string> {
  const pause = slices();
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const label = JSON.stringify(name);
    if (!Array.isArray(field) || field.length === 0) {
      fields.push(`${label}:${JSON.stringify(field)}`);
      continue;
    }
    const entries: string[] = [];
    for (const entry of field) {
      await pause();
      entries.push(JSON.stringify(entry));
    }
    fields.push(`${label}:[\n${entries.join(",\n")}\n]`);
  }
  return `{${fields.join(",")}}`;
}

/**
 * The entries of one list of a text that `writeLines` wrote, in slices; empty where it has none.
 * @param take reads an entry; null: it is left out
 * @throws SyntaxError
 */
export async function readList<Entry>(
  text: string,
  name: string,
  take: (entry: unknown) => Entry | null,
): Promise<Entry[]> {
  const pause = slices();
  const label = `${JSON.stringify(name)}:[\n`;
  const at = text.indexOf(label);
  const entries: Entry[] = [];
  for (let from = at + label.length; at !== -1;) {
    await pause();
    const end = text.indexOf("\n", from);
    if (end === -1 || text[from] === "]") break;
    const entry = take(JSON.parse(text.slice(from, end).replace(/,$/, "")));
    if (entry !== null) entries.push(entry);
    from = end + 1;
  }
  return entries;
}

/** In the bucket's form. */
export const pack = (text: string): Promise<Buffer> => deflate(text, { level: constants.Z_DEFAULT_COMPRESSION });
export const unpack = async (bytes: Uint8Array): Promise<string> =>
  (await inflate(bytes, { maxOutputLength: mostBytes })).toString();
