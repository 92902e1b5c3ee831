import { type Pages, UnreadableFileError } from "./pages.ts";
import { readVarint } from "./record.ts";

export type StoredRecord = { rowId: number; payload: Uint8Array };

const interior = 5;
const leaf = 13;
/** No relevant row is larger: the body of a check has at most 256 Ki characters. */
const maxRowBytes = 2 * 1024 * 1024;
const maxLevels = 20;

/** Ordered by id. @throws UnreadableFileError */
export async function* readTree(pages: Pages, root: number, levels = maxLevels): AsyncGenerator<StoredRecord> {
  if (levels === 0) throw new UnreadableFileError("the page tree has a cycle");
  const page = await pages.read(root);
  const header = root === 1 ? 100 : 0;
  const type = page.getUint8(header);
  if (type !== interior && type !== leaf) throw new UnreadableFileError("not a table page");
  const cells = page.getUint16(header + 3);
  const pointers = header + (type === interior ? 12 : 8);
  for (let index = 0; index < cells; index += 1) {
    if (pointers + index * 2 + 2 > page.byteLength) throw new UnreadableFileError("a cell is missing");
    const at = page.getUint16(pointers + index * 2);
    if (type === interior) yield* readTree(pages, readUint32(page, at), levels - 1);
    else yield await readCell(pages, page, at);
  }
  if (type === interior) yield* readTree(pages, page.getUint32(header + 8), levels - 1);
}

async function readCell(pages: Pages, page: DataView, at: number): Promise<StoredRecord> {
  const [total, rowId] = readHead(page, at);
  const from = at + total.bytes + rowId.bytes;
  if (total.value > maxRowBytes) throw new UnreadableFileError("a row is too large");
  const local = localBytes(total.value, pages.usableBytes);
  if (from + local > page.byteLength) throw new UnreadableFileError("a row is cut off");
  const payload = new Uint8Array(total.value);
  payload.set(new Uint8Array(page.buffer, page.byteOffset + from, local));
  let next = local < total.value ? readUint32(page, from + local) : 0;
  for (let filled = local; filled < total.value;) {
    if (next === 0) throw new UnreadableFileError("a row is cut off");
    const overflow = await pages.read(next);
    const bytes = Math.min(pages.usableBytes - 4, total.value - filled);
    payload.set(new Uint8Array(overflow.buffer, overflow.byteOffset + 4, bytes), filled);
    filled += bytes;
    next = overflow.getUint32(0);
  }
  return { rowId: rowId.value, payload };
}

function readHead(page: DataView, at: number) {
  try {
    const total = readVarint(page, at);
    return [total, readVarint(page, at + total.bytes)] as const;
  } catch {
    throw new UnreadableFileError("a cell is cut off");
  }
}

function readUint32(page: DataView, at: number): number {
  if (at + 4 > page.byteLength) throw new UnreadableFileError("a cell is cut off");
  return page.getUint32(at);
}

/** Number of bytes of a row on its own page (sqlite.org/fileformat2.html#b_tree_pages). */
function localBytes(total: number, usable: number): number {
  const max = usable - 35;
  if (total <= max) return total;
  const min = Math.floor(((usable - 12) * 32) / 255) - 23;
  const wanted = min + ((total - min) % (usable - 4));
  return wanted <= max ? wanted : min;
}
