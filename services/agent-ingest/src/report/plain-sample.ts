import { type MessageField, type MessageFields, sampleFields } from "@sonde/proto/samples/fields";
import { maxSampleBytes } from "./limits.ts";

/**
 * Checks a sample without decoding it, where it is written as agents of ours write it: known fields in the order of their
 * numbers, texts in ASCII, an instant in whole milliseconds, every figure within the bounds of
 * proto/samples/fields.ts. Nearly all samples are; decoding, checking and encoding each was half of what a report cost.
 * @returns its instant, epoch milliseconds; null where only decoding it shows whether it is good
 */
export function readPlainSample(bytes: Buffer): number | null {
  const cursor: Cursor = { bytes, at: 0, instantMs: Number.NaN };
  if (bytes.length > maxSampleBytes || !areGood(cursor, bytes.length, sampleChecks)) return null;
  return Number.isNaN(cursor.instantMs) ? null : cursor.instantMs;
}

type Cursor = { readonly bytes: Buffer; at: number; instantMs: number };

type FieldCheck = {
  wireType: number;
  /** Entries of a list; else 1. */
  most: number;
  /** Whether the value at the cursor is good; moves the cursor behind it. `end` is that of the message around it. */
  isGood(cursor: Cursor, end: number): boolean;
};
/** By number. */
type FieldChecks = readonly (FieldCheck | undefined)[];

/** Whether the fields up to `end` are known, in order, none of them too often, and good. */
function areGood(cursor: Cursor, end: number, fields: FieldChecks): boolean {
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
const number = (least: number, most: number, isAllowed: (value: number) => boolean = () => true): FieldCheck => ({
  wireType: fixed64,
  most: 1,
  isGood(cursor, end) {
    if (cursor.at + 8 > end) return false;
    const value = cursor.bytes.readDoubleLE(cursor.at);
    cursor.at += 8;
    return value >= least && value <= most && isAllowed(value);
  },
});
const uint32: FieldCheck = { wireType: varint, most: 1, isGood: (cursor) => readVarint(cursor) < 2 ** 32 };

/** ASCII without NUL, which PostgreSQL has no place for. */
const text = (maxLength: number, isAllowed: (text: Buffer) => boolean = () => true): FieldCheck => ({
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
const part = (fields: FieldChecks, most = 1): FieldCheck => ({
  wireType: lengthDelimited,
  most,
  isGood(cursor, end) {
    const length = readVarint(cursor);
    return cursor.at + length <= end && areGood(cursor, cursor.at + length, fields);
  },
});

/** google.protobuf.Timestamp, from 1970 on. */
const instant: FieldCheck = {
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

function checkOf(field: MessageField): FieldCheck {
  switch (field.kind) {
    case "double":
      return number(field.min, field.max, field.whole ? Number.isInteger : undefined);
    case "uint32":
      return uint32;
    case "text": {
      const words = field.oneOf?.map((word) => Buffer.from(word));
      return text(field.maxLength, words && ((given) => words.some((word) => word.equals(given))));
    }
    case "instant":
      return instant;
    case "message":
      return part(checksOf(field.fields));
    case "list":
      return part(checksOf(field.fields), field.maxEntries);
  }
}

/** By the fields' numbers. */
function checksOf(fields: MessageFields): FieldChecks {
  const checks: FieldCheck[] = [];
  for (const field of Object.values(fields)) checks[field.number] = checkOf(field);
  return checks;
}

const sampleChecks = checksOf(sampleFields);
