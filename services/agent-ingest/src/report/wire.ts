import { AppError } from "@sonde/kit/errors";

/** `begin`: offset of the tag. */
export type Field = { number: number; wireType: number; begin: number; valueBegin: number; end: number };

export const lengthDelimited = 2;
const fixedBytes: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const broken = () => new AppError("invalid", "The body is not a valid report");

/**
 * Iterates over the fields of an encoded protobuf message without decoding them, to count them first: four million
 * empty samples fit into 8 KB of gzip. Rejects groups, which our messages do not use. Source:
 * protobuf.dev/programming-guides/encoding.
 * @param max maximum number of fields
 * @throws AppError `invalid` if the bytes are not a message, or have more fields
 */
export function* readFields(bytes: Uint8Array, max: number, begin = 0, end = bytes.length): Generator<Field, void> {
  let at = begin;
  /** Values beyond 53 bits are only skipped: no tag or length is that large. */
  const varint = (): number => {
    let value = 0;
    for (let length = 0; length < 10; length++) {
      const byte = bytes[at++];
      if (byte === undefined || at > end) throw broken();
      value += (byte & 0x7f) * 2 ** (7 * length);
      if (byte < 0x80) return value;
    }
    throw broken();
  };
  for (let count = 0; at < end; count++) {
    if (count >= max) throw broken();
    const tagBegin = at;
    const tag = varint();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    if (wireType === 0) {
      const valueBegin = at;
      varint();
      yield { number, wireType, begin: tagBegin, valueBegin, end: at };
      continue;
    }
    const length = wireType === lengthDelimited ? varint() : fixedBytes[wireType];
    const valueBegin = at;
    if (length === undefined || number === 0 || valueBegin + length > end) throw broken();
    at = valueBegin + length;
    yield { number, wireType, begin: tagBegin, valueBegin, end: at };
  }
}
