import type { DescField } from "@bufbuild/protobuf";
import {
  CpuSchema,
  DiskSchema,
  FootprintSchema,
  GpuSchema,
  LoadSchema,
  MemorySchema,
  NetworkInterfaceSchema,
  SampleSchema,
  TemperatureSchema,
} from "@sonde/proto/gen/agents/v1/samples";
import { lists, maxSampleBytes } from "./limits.ts";

/**
 * Checks a sample without decoding it, where it is written as agents of ours write it: known fields in the order of their
 * numbers, texts in ASCII, an instant in whole milliseconds, every figure within the bounds of `sample` in
 * proto/http/agents.ts. Nearly all samples are; decoding, checking and encoding each was half of what a report cost.
 * @returns its instant, epoch milliseconds; null where only decoding it shows whether it is good
 */
export function readPlainSample(bytes: Buffer): number | null {
  const cursor: Cursor = { bytes, at: 0, instantMs: Number.NaN };
  if (bytes.length > maxSampleBytes || !areGood(cursor, bytes.length, sampleFields)) return null;
  return Number.isNaN(cursor.instantMs) ? null : cursor.instantMs;
}

type Cursor = { readonly bytes: Buffer; at: number; instantMs: number };

type Field = {
  wireType: number;
  /** Entries of a list; else 1. */
  most: number;
  /** Whether the value at the cursor is good; moves the cursor behind it. `end` is that of the message around it. */
  isGood(cursor: Cursor, end: number): boolean;
};
/** By number. */
type Fields = readonly (Field | undefined)[];

/** Whether the fields up to `end` are known, in order, none of them too often, and good. */
function areGood(cursor: Cursor, end: number, fields: Fields): boolean {
  let number = 0;
  let count = 0;
  while (cursor.at < end) {
    const tag = readVarint(cursor);
    const field = fields[tag >>> 3];
    if (field === undefined || field.wireType !== (tag & 7) || tag >>> 3 < number) return false;
    count = tag >>> 3 === number ? count + 1 : 1;
    number = tag >>> 3;
    if (count > field.most || !field.isGood(cursor, end)) return false;
  }
  return cursor.at === end;
}

/** A whole number below 2 ** 35; NaN for one that has more bytes. */
function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
    const byte = cursor.bytes[cursor.at++] ?? 0x80;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  return Number.NaN;
}

const [varint, fixed64, lengthDelimited] = [0, 1, 2];

/** A double between these. */
const number = (least: number, most: number, isAllowed: (value: number) => boolean = () => true): Field => ({
  wireType: fixed64,
  most: 1,
  isGood(cursor, end) {
    if (cursor.at + 8 > end) return false;
    const value = cursor.bytes.readDoubleLE(cursor.at);
    cursor.at += 8;
    return value >= least && value <= most && isAllowed(value);
  },
});
const percent = number(0, 100);
const amount = number(0, 2 ** 64);
const uint32: Field = { wireType: varint, most: 1, isGood: (cursor) => readVarint(cursor) < 2 ** 32 };

/** ASCII without NUL, which PostgreSQL has no place for. */
const text = (maxLength: number, isAllowed: (text: Buffer) => boolean = () => true): Field => ({
  wireType: lengthDelimited,
  most: 1,
  isGood(cursor, end) {
    const length = readVarint(cursor);
    const begin = cursor.at;
    if (!(length <= maxLength && begin + length <= end)) return false;
    cursor.at += length;
    for (let at = begin; at < cursor.at; at++) if (cursor.bytes[at] === 0 || cursor.bytes[at]! > 0x7f) return false;
    return isAllowed(cursor.bytes.subarray(begin, cursor.at));
  },
});

/** A message within the message; `most` entries of a list of them. */
const part = (fields: Fields, most = 1): Field => ({
  wireType: lengthDelimited,
  most,
  isGood(cursor, end) {
    const length = readVarint(cursor);
    return cursor.at + length <= end && areGood(cursor, cursor.at + length, fields);
  },
});

/** Its fields by their numbers. */
function numbered<Name extends string>(
  { field }: { field: Record<Name, DescField> },
  checks: Record<NoInfer<Name>, Field>,
): Fields {
  const fields: Field[] = [];
  for (const name of Object.keys(checks) as Name[]) fields[field[name].number] = checks[name];
  return fields;
}

/** google.protobuf.Timestamp, from 1970 on. */
const instant: Field = {
  wireType: lengthDelimited,
  most: 1,
  isGood(cursor, end) {
    const length = readVarint(cursor);
    const ownEnd = cursor.at + length;
    const seconds = cursor.bytes[cursor.at] === 0x08 ? (cursor.at++, readVarint(cursor)) : 0;
    const nanos = cursor.at < ownEnd && cursor.bytes[cursor.at] === 0x10 ? (cursor.at++, readVarint(cursor)) : 0;
    cursor.instantMs = seconds * 1000 + nanos / 1_000_000;
    return cursor.at === ownEnd && ownEnd <= end && nanos < 1e9 && nanos % 1_000_000 === 0;
  },
};

const scopes = ["host", "container"].map((scope) => Buffer.from(scope));

const cpu = numbered(CpuSchema, { usage: percent, cores: uint32, model: text(200) });
const memory = numbered(MemorySchema, {
  total: amount,
  used: amount,
  free: amount,
  usage: percent,
  available: amount,
  swapTotal: amount,
  swapUsed: amount,
});
const disk = numbered(DiskSchema, {
  device: text(500),
  mountPoint: text(500),
  fsType: text(100),
  total: amount,
  used: amount,
  free: amount,
  usage: percent,
  inodesTotal: amount,
  inodesUsed: amount,
});
const networkInterface = numbered(NetworkInterfaceSchema, {
  interface: text(100),
  receiveRate: amount,
  sendRate: amount,
  received: amount,
  sent: amount,
  packetsReceived: amount,
  packetsSent: amount,
});
const temperature = numbered(TemperatureSchema, { sensor: text(100), celsius: number(-1000, 1_000_000) });
const gpu = numbered(GpuSchema, { name: text(200), usage: percent, memoryUsed: amount, memoryTotal: amount });
const sampleFields = numbered(SampleSchema, {
  at: instant,
  cpu: part(cpu),
  memory: part(memory),
  disks: part(disk, lists.disks),
  network: part(networkInterface, lists.network),
  load: part(numbered(LoadSchema, { one: amount, five: amount, fifteen: amount })),
  uptime: amount,
  bootId: text(100),
  sequence: number(0, Number.MAX_SAFE_INTEGER, Number.isInteger),
  temperatures: part(temperature, lists.temperatures),
  gpus: part(gpu, lists.gpus),
  containers: uint32,
  scope: text(10, (given) => scopes.some((scope) => scope.equals(given))),
  footprint: part(numbered(FootprintSchema, { rss: amount, queued: uint32 })),
});
