import { readWal } from "./wal.ts";

/** A file that cannot be read as what it should be. */
export class UnreadableFile extends Error {}

/** The pages of a SQLite database (sqlite.org/fileformat2.html). */
export type Pages = {
  /** Of a page, without what extensions keep at its end. */
  usableBytes: number;
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** A page by its number, from 1. @throws UnreadableFile */
  read(number: number): Promise<DataView>;
};

const headerBytes = 100;
const encodings = [undefined, "utf-8", "utf-16le", "utf-16be"] as const;
/** More than the tables of ten thousand monitors have. A broken file may lead from page to page without end. */
const maxPages = 50_000;

export const sqliteMagic = "SQLite format 3\0";

/**
 * Opens a database by its header. Pages are read one by one from the disk, so that its size is no matter: most of it is
 * history, which is not needed.
 * @param wal the write-ahead log beside it: the newest changes of a program that runs, or did not end by itself
 * @throws UnreadableFile
 */
export async function openPages(file: Blob, wal: Blob | null): Promise<Pages> {
  const header = await viewOf(file, 0, headerBytes);
  const magic = header.byteLength < headerBytes ? "" : latin1(header, sqliteMagic.length);
  if (magic !== sqliteMagic) throw new UnreadableFile("no SQLite database");
  const written = header.getUint16(16);
  const pageBytes = written === 1 ? 65_536 : written;
  const usableBytes = pageBytes - header.getUint8(20);
  const encoding = encodings[header.getUint32(56)] ?? "utf-8";
  const isPowerOfTwo = (pageBytes & (pageBytes - 1)) === 0;
  if (!isPowerOfTwo || pageBytes < 512 || usableBytes < 480) throw new UnreadableFile("no size of pages");
  const newer = wal === null ? new Map<number, number>() : await readWal(wal, pageBytes);
  let pagesRead = 0;
  return {
    usableBytes,
    encoding,
    async read(number) {
      if ((pagesRead += 1) > maxPages) throw new UnreadableFile("too many pages");
      const at = newer.get(number);
      const page = await (at === undefined
        ? viewOf(file, (number - 1) * pageBytes, pageBytes)
        : viewOf(wal!, at, pageBytes));
      if (number < 1 || page.byteLength < pageBytes) throw new UnreadableFile("a page is missing");
      return page;
    },
  };
}

async function viewOf(blob: Blob, from: number, bytes: number): Promise<DataView> {
  return new DataView(await blob.slice(from, from + bytes).arrayBuffer());
}

const latin1 = (view: DataView, length: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, length));
