import { readWal } from "./wal.ts";

export class UnreadableFileError extends Error {}

/** See sqlite.org/fileformat2.html. */
export type Pages = {
  /** Without the space that extensions reserve at the end of a page. */
  usableBytes: number;
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** Numbers start at 1. @throws UnreadableFileError */
  read(number: number): Promise<DataView>;
};

const headerBytes = 100;
const encodings = [undefined, "utf-8", "utf-16le", "utf-16be"] as const;
/** More than the tables of ten thousand monitors take. A corrupt file may link pages endlessly. */
const maxPages = 50_000;

export const sqliteMagic = "SQLite format 3\0";

/**
 * Reads pages one by one, so the size does not matter: most of it is unneeded history.
 * @param wal write-ahead log of a program that is running or was killed
 * @throws UnreadableFileError
 */
export async function openPages(file: Blob, wal: Blob | null): Promise<Pages> {
  const header = await viewOf(file, 0, headerBytes);
  const magic = header.byteLength < headerBytes ? "" : latin1(header, sqliteMagic.length);
  if (magic !== sqliteMagic) throw new UnreadableFileError("not an SQLite database");
  const written = header.getUint16(16);
  const pageBytes = written === 1 ? 65_536 : written;
  const usableBytes = pageBytes - header.getUint8(20);
  const encoding = encodings[header.getUint32(56)] ?? "utf-8";
  const isPowerOfTwo = (pageBytes & (pageBytes - 1)) === 0;
  if (!isPowerOfTwo || pageBytes < 512 || usableBytes < 480) throw new UnreadableFileError("invalid page size");
  const newer = wal === null ? new Map<number, number>() : await readWal(wal, pageBytes);
  let pagesRead = 0;
  return {
    usableBytes,
    encoding,
    async read(number) {
      if ((pagesRead += 1) > maxPages) throw new UnreadableFileError("too many pages");
      const at = newer.get(number);
      const page = await (at === undefined
        ? viewOf(file, (number - 1) * pageBytes, pageBytes)
        : viewOf(wal!, at, pageBytes));
      if (number < 1 || page.byteLength < pageBytes) throw new UnreadableFileError("a page is missing");
      return page;
    },
  };
}

async function viewOf(blob: Blob, from: number, bytes: number): Promise<DataView> {
  return new DataView(await blob.slice(from, from + bytes).arrayBuffer());
}

const latin1 = (view: DataView, length: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, length));
