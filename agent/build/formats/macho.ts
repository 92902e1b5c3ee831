import { alignUp, blobName, type Format, type FilePart, padded } from "./parts.ts";

// https://github.com/apple-oss-distributions/xnu/blob/main/EXTERNAL_HEADERS/mach-o/loader.h
const headerBytes = 32;
const segmentCommand = 0x19;
const symbolCommand = 0x2;
const signatureCommand = 0x1d;
/** Page size of Apple silicon; Intel's is a quarter. */
const pageBytes = 0x4000;
/** Positions of offsets into the segment `__LINKEDIT`, by command. */
const linkOffsets: Record<number, readonly number[]> = {
  0x2: [8, 16], // LC_SYMTAB
  0xb: [32, 40, 48, 56, 64, 72], // LC_DYSYMTAB
  0x1e: [8], // LC_SEGMENT_SPLIT_INFO
  0x26: [8], // LC_FUNCTION_STARTS
  0x29: [8], // LC_DATA_IN_CODE
  0x80000022: [8, 16, 24, 32, 40], // LC_DYLD_INFO_ONLY
  0x80000033: [8], // LC_DYLD_EXPORTS_TRIE
  0x80000034: [8], // LC_DYLD_CHAINED_FIXUPS
};
/**
 * Commands without such offsets: LC_LOAD_DYLIB, LC_LOAD_DYLINKER, LC_UUID, LC_SOURCE_VERSION, LC_BUILD_VERSION,
 * LC_RPATH, LC_MAIN.
 */
const others = [segmentCommand, 0xc, 0xe, 0x1b, 0x2a, 0x32, 0x8000001c, 0x80000028];

const nameAt = (from: Buffer, at: number) => from.toString("latin1", at, at + 16).replace(/\0+$/, "");
const number = (from: Buffer, at: number) => Number(from.readBigUInt64LE(at));

/**
 * Inserts a segment with the blob before `__LINKEDIT`, which must be last, and moves that back. dyld accepts chained
 * fixups that do not count the new segment. Drops the signature: `codesign` creates one during installation.
 */
export const machO: Format = (read, blob) => {
  const header = read(0, headerBytes);
  const commandBytes = header.readUInt32LE(20);
  const commands = commandsIn(read(headerBytes, commandBytes), header.readUInt32LE(16));
  const segments = commands.filter((command) => command.readUInt32LE() === segmentCommand);
  const link = segments.at(-1);
  if (link === undefined || nameAt(link, 8) !== "__LINKEDIT") throw new Error("The base does not end with __LINKEDIT");
  const [linkAddress, linkFrom] = [number(link, 24), number(link, 40)];
  const signature = commands.find((command) => command.readUInt32LE() === signatureCommand);
  const strings = commands.find((command) => command.readUInt32LE() === symbolCommand);
  const linkTo = (strings?.readUInt32LE(16) ?? 0) + (strings?.readUInt32LE(20) ?? 0);
  // `codesign` rejects a file that does not end with its symbol strings.
  if (alignUp(linkTo, 16) !== alignUp(signature?.readUInt32LE(8) ?? linkFrom + number(link, 48), 16))
    throw new Error("The base does not end with its strings");
  const shift = alignUp(blob.length, pageBytes);

  const kept = commands.filter((command) => command !== signature);
  const at = kept.indexOf(link);
  const own = segmentFor(link, blob.length, shift);
  for (const command of kept) moveOffsets(command, shift);
  link.writeBigUInt64LE(BigInt(linkAddress + shift), 24);
  link.writeBigUInt64LE(BigInt(alignUp(linkTo - linkFrom, pageBytes)), 32);
  link.writeBigUInt64LE(BigInt(linkFrom + shift), 40);
  link.writeBigUInt64LE(BigInt(linkTo - linkFrom), 48);

  const written = Buffer.concat([...kept.slice(0, at), own, ...kept.slice(at)]);
  const firstSection = Math.min(...segments.flatMap(sectionOffsets));
  if (headerBytes + written.length > firstSection) throw new Error("The base has no room for one more segment");
  header.writeUInt32LE(kept.length + 1, 16);
  header.writeUInt32LE(written.length, 20);
  // Zeros after the load commands, as from a linker; codesign rejects leftovers of the old ones.
  const rest = Buffer.alloc(Math.max(0, commandBytes - written.length));
  const front = Buffer.concat([header, written, rest]);
  const parts: FilePart[] = [front, { from: front.length, to: linkFrom }];
  return [...parts, padded(blob, pageBytes), { from: linkFrom, to: linkTo }];
};

function commandsIn(text: Buffer, count: number): Buffer[] {
  const commands: Buffer[] = [];
  for (let at = 0; commands.length < count; at += text.readUInt32LE(at + 4))
    commands.push(text.subarray(at, at + text.readUInt32LE(at + 4)));
  return commands;
}

/** A read-only segment with one section, in the former place of `__LINKEDIT`. */
function segmentFor(link: Buffer, bytes: number, memoryBytes: number): Buffer {
  const segment = Buffer.alloc(72 + 80);
  segment.writeUInt32LE(segmentCommand);
  segment.writeUInt32LE(segment.length, 4);
  segment.write("NODE_SEA", 8);
  link.copy(segment, 24, 24, 32); // Address.
  segment.writeBigUInt64LE(BigInt(memoryBytes), 32);
  link.copy(segment, 40, 40, 48); // Offset.
  segment.writeBigUInt64LE(BigInt(memoryBytes), 48);
  link.copy(segment, 56, 56, 64); // Protection.
  segment.writeUInt32LE(1, 64);
  segment.write(`__${blobName}`, 72);
  segment.write("NODE_SEA", 88);
  link.copy(segment, 104, 24, 32);
  segment.writeBigUInt64LE(BigInt(bytes), 112);
  link.copy(segment, 120, 40, 44);
  segment.writeUInt32LE(2, 124); // Aligned to 4 bytes.
  return segment;
}

function moveOffsets(command: Buffer, shift: number): void {
  const type = command.readUInt32LE();
  const places = linkOffsets[type];
  if (places === undefined && !others.includes(type))
    throw new Error(`The base has a load command 0x${type.toString(16)}, which may have offsets`);
  for (const at of places ?? []) {
    const offset = command.readUInt32LE(at);
    if (offset !== 0) command.writeUInt32LE(offset + shift, at);
  }
}

const sectionOffsets = (segment: Buffer): number[] =>
  Array.from({ length: segment.readUInt32LE(64) }, (_, at) => segment.readUInt32LE(72 + at * 80 + 48)).filter(
    (offset) => offset > 0,
  );
