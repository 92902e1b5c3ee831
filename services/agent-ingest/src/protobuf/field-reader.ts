import type { DescField } from "@bufbuild/protobuf";

const [varint, fixed64, lengthDelimited, fixed32] = [0, 1, 2, 5];

/** What stands before a number of 64 bits, before a text, bytes or a message, and before a whole number. */
export const fixed64Tag = ({ number }: DescField): number => (number << 3) | fixed64;
export const lengthTag = ({ number }: DescField): number => (number << 3) | lengthDelimited;
export const varintTag = ({ number }: DescField): number => (number << 3) | varint;

/**
 * Walks over the fields of an encoded protobuf message. What is not asked for is skipped without making anything of it:
 * the generated code makes an object of every part.
 * Source: protobuf.dev/programming-guides/encoding.
 */
export class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Where all of it ends. */
  end(): number {
    return this.#bytes.length;
  }

  /** The next field's tag; 0 where the message that ends there has none left. @throws RangeError for broken bytes */
  next(end: number): number {
    if (this.#at === end) return 0;
    if (this.#at > end) throw new RangeError("a field is longer than its message");
    return this.varint();
  }

  /** A whole number; beyond 53 bits, as a negative one is, it is not exact. @throws RangeError */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError("no whole number");
  }

  /** @throws RangeError */
  double(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  text(): string {
    const end = this.message();
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end;
    return text;
  }

  /** The very bytes, not a copy. */
  bytes(): Buffer {
    const end = this.message();
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Enters a message within the message; answers where it ends. @throws RangeError */
  message(): number {
    const length = this.varint();
    if (this.#at + length > this.#bytes.length) throw new RangeError("the bytes end too early");
    return this.#at + length;
  }

  /** Goes on behind a field's value. @throws RangeError for one of no known kind */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === lengthDelimited) this.#at = this.message();
    else if (wireType === fixed64) this.#at += 8;
    else if (wireType === fixed32) this.#at += 4;
    else if (wireType === varint) while ((this.#bytes[this.#at++] ?? 0) >= 0x80);
    else throw new RangeError("no field");
  }
}
