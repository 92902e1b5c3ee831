import { alignUp, blobName, type Format, padded } from "./parts.ts";

// https://learn.microsoft.com/windows/win32/debug/pe-format
const sectionBytes = 40;
const tableBytes = 16;
const entryBytes = 8;
const rawData = 10; // RT_RCDATA
const flag = 0x80000000; // High bit of an entry: the name is a string, or the offset points to another table.
const readOnlyData = 0x40000040;

/**
 * Appends a section with a resource table that also contains the blob, and drops the signature, which no longer
 * matches. Other resources stay in their section.
 */
export const pe: Format = (read, blob) => {
  const start = read(0x3c, 4).readUInt32LE();
  const optionalAt = start + 24;
  const headers = read(0, read(optionalAt + 60, 4).readUInt32LE());
  const count = headers.readUInt16LE(start + 6);
  const [sectionAlign, fileAlign] = [headers.readUInt32LE(optionalAt + 32), headers.readUInt32LE(optionalAt + 36)];
  const directory = (index: number) => optionalAt + 112 + index * 8;
  const sectionsAt = optionalAt + headers.readUInt16LE(start + 20);
  const sections = Array.from({ length: count }, (_, index) => {
    const at = sectionsAt + index * sectionBytes;
    const [size, address, rawBytes, raw] = [8, 12, 16, 20].map((field) => headers.readUInt32LE(at + field));
    return { size: size!, address: address!, rawBytes: rawBytes!, raw: raw! };
  });
  const newHeaderAt = sectionsAt + count * sectionBytes;
  if (newHeaderAt + sectionBytes > headers.length) throw new Error("The base has no room for one more section");

  const resources = headers.readUInt32LE(directory(2));
  const home = sections.find(({ address, size }) => address <= resources && resources < address + size);
  if (home === undefined) throw new Error("The base has no resources");
  const old = read(home.raw + resources - home.address, home.rawBytes - (resources - home.address));
  const address = Math.max(...sections.map((one) => alignUp(one.address + one.size, sectionAlign)));
  const fileEnd = Math.max(...sections.map((one) => one.raw + one.rawBytes));
  const rawAt = alignUp(fileEnd, fileAlign);
  const content = withBlob(old, resources, blob, address);
  const raw = padded(content, fileAlign);

  const header = headers.subarray(newHeaderAt, newHeaderAt + sectionBytes).fill(0);
  header.write(".sea");
  [content.length, address, raw.length, rawAt].forEach((value, index) => header.writeUInt32LE(value, 8 + index * 4));
  header.writeUInt32LE(readOnlyData, 36);
  headers.writeUInt16LE(count + 1, start + 6);
  const initialized = headers.readUInt32LE(optionalAt + 8);
  headers.writeUInt32LE(initialized + raw.length, optionalAt + 8);
  headers.writeUInt32LE(alignUp(address + content.length, sectionAlign), optionalAt + 56);
  headers.writeUInt32LE(0, optionalAt + 64); // The checksum, which only drivers need.
  headers.writeUInt32LE(address, directory(2));
  headers.writeUInt32LE(content.length, directory(2) + 4);
  headers.fill(0, directory(4), directory(4) + 8);
  return [headers, { from: headers.length, to: fileEnd }, Buffer.alloc(rawAt - fileEnd), raw];
};

/** Moves the resource tables and adds one type: first the root and the new tables, then the old ones. */
function withBlob(old: Buffer, oldAddress: number, blob: Buffer, address: number): Buffer {
  const entries = entriesOf(old, 0);
  if (entries.some((at) => old.readUInt32LE(at) === rawData)) throw new Error("The base has resources of this type");
  const name = Buffer.from(`\0\0${blobName}`, "utf16le").subarray(2);
  name.writeUInt16LE(blobName.length);

  const rootBytes = tableBytes + (entries.length + 1) * entryBytes;
  const namesAt = rootBytes;
  const languagesAt = namesAt + tableBytes + entryBytes;
  const dataAt = languagesAt + tableBytes + entryBytes;
  const textAt = dataAt + 16;
  const oldAt = alignUp(textAt + name.length, 8);
  const tables = old.subarray(0, moveTables(old, 0, oldAt) - oldAddress);
  const blobAt = alignUp(oldAt + tables.length, 8);

  const made = Buffer.alloc(blobAt + blob.length);
  const write = (at: number, ...values: number[]) =>
    values.forEach((value, index) => made.writeUInt32LE(value >>> 0, at + index * 4));
  old.copy(made, 0, 0, tableBytes);
  made.writeUInt16LE(entries.length + 1 - old.readUInt16LE(12), 14);
  // Sorted: names, then numbers.
  const isBefore = (at: number) => old.readUInt32LE(at) >= flag || old.readUInt32LE(at) < rawData;
  const before = entries.filter(isBefore);
  [...before, null, ...entries.filter((at) => !isBefore(at))].forEach((at, index) => {
    const into = tableBytes + index * entryBytes;
    if (at === null) write(into, rawData, flag | namesAt);
    else old.copy(made, into, at, at + entryBytes);
  });
  made.writeUInt16LE(1, namesAt + 12);
  write(namesAt + tableBytes, flag | textAt, flag | languagesAt);
  made.writeUInt16LE(1, languagesAt + 14);
  write(languagesAt + tableBytes, 0, dataAt);
  write(dataAt, address + blobAt, blob.length);
  name.copy(made, textAt);
  tables.copy(made, oldAt);
  blob.copy(made, blobAt);
  return made;
}

const entriesOf = (old: Buffer, table: number): number[] =>
  Array.from(
    { length: old.readUInt16LE(table + 12) + old.readUInt16LE(table + 14) },
    (_, index) => table + tableBytes + index * entryBytes,
  );

/** Adds `by` to every offset in a table and its subtables. Returns the lowest address of resource data. */
function moveTables(old: Buffer, table: number, by: number): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const at of entriesOf(old, table)) {
    const [name, to] = [old.readUInt32LE(at), old.readUInt32LE(at + 4)];
    lowest = Math.min(lowest, to >= flag ? moveTables(old, to - flag, by) : old.readUInt32LE(to));
    if (name >= flag) old.writeUInt32LE(name + by, at);
    old.writeUInt32LE(to + by, at + 4);
  }
  return lowest;
}
