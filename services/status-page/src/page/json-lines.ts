import { slices } from "@sonde/kit/concurrency/slices";
import { constants, gunzip, gzip } from "node:zlib";
import { promisify } from "node:util";

const deflate = promisify(gzip);
const inflate = promisify(gunzip);

/** What a value may hold once it is inflated: a page of 500 services and 90 days has some 4 MB. */
const mostBytes = 64 * 1024 * 1024;

/** The JSON of an object, in slices, each entry of its lists on a line of its own: earlier versions read it by lines. */
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

/** In the bucket's form. */
export const pack = (text: string): Promise<Buffer> => deflate(text, { level: constants.Z_DEFAULT_COMPRESSION });
export const unpack = async (bytes: Uint8Array): Promise<string> =>
  (await inflate(bytes, { maxOutputLength: mostBytes })).toString();
