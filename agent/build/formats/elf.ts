import { alignUp, blobName, type Format, padded } from "./parts.ts";

// https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
const headerBytes = 64;
const segmentBytes = 56;
const types = { load: 1, note: 4, self: 6 };
const readable = 4;
const [flagsAt, offsetAt, virtualAt, physicalAt, fileBytesAt, memoryBytesAt, alignAt] = [4, 8, 16, 24, 32, 40, 48];

/**
 * Appends the blob as a note in its own segment, and the segment table, which cannot grow in its old place. Drops
 * what is not loaded (debug symbols and the section table), a fifth of the file.
 */
export const elf: Format = (read, blob) => {
  const header = read(0, headerBytes);
  const get = (from: Buffer, at: number) => Number(from.readBigUInt64LE(at));
  const set = (into: Buffer, values: Record<number, number>) => {
    for (const [at, value] of Object.entries(values)) into.writeBigUInt64LE(BigInt(value), Number(at));
  };
  const count = header.readUInt16LE(56);
  const table = read(get(header, 32), count * segmentBytes);
  const segments = Array.from({ length: count }, (_, at) => table.subarray(at * segmentBytes, (at + 1) * segmentBytes));
  const loaded = segments.filter((segment) => segment.readUInt32LE() === types.load);
  const first = loaded[0];
  if (first === undefined) throw new Error("The base has no segment that is loaded");
  const bias = get(first, virtualAt) - get(first, offsetAt);
  const fileEnd = Math.max(...loaded.map((segment) => get(segment, offsetAt) + get(segment, fileBytesAt)));
  const memoryEnd = Math.max(...loaded.map((segment) => get(segment, virtualAt) + get(segment, memoryBytesAt)));
  // Keeps addresses at the same distance from offsets: before Linux 5.18 the kernel computes the table's address from
  // its offset.
  const start = alignUp(Math.max(fileEnd, memoryEnd - bias), get(first, alignAt));

  const name = padded(Buffer.from(`${blobName}\0`), 4);
  const noteHeader = Buffer.alloc(12);
  noteHeader.writeUInt32LE(blobName.length + 1, 0);
  noteHeader.writeUInt32LE(blob.length, 4);
  const note = Buffer.concat([noteHeader, name, padded(blob, 4)]);
  const tableBytes = (count + 2) * segmentBytes;
  const segment = (type: number, from: number, bytes: number, align: number) => {
    const made = Buffer.alloc(segmentBytes);
    made.writeUInt32LE(type);
    made.writeUInt32LE(readable, flagsAt);
    const [offset, address] = [start + from, start + from + bias];
    set(made, { [offsetAt]: offset, [virtualAt]: address, [physicalAt]: address });
    set(made, { [fileBytesAt]: bytes, [memoryBytesAt]: bytes, [alignAt]: align });
    return made;
  };
  const newTable = Buffer.concat([
    ...segments.map((old) => (old.readUInt32LE() === types.self ? segment(types.self, 0, tableBytes, 8) : old)),
    segment(types.load, 0, tableBytes + note.length, get(first, alignAt)),
    segment(types.note, tableBytes, note.length, 4),
  ]);
  set(header, { 32: start, 40: 0 });
  header.writeUInt16LE(count + 2, 56);
  header.writeUInt16LE(0, 60); // Section count and name index.
  header.writeUInt16LE(0, 62);
  return [header, { from: headerBytes, to: fileEnd }, Buffer.alloc(start - fileEnd), newTable, note];
};
