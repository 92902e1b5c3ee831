import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type FieldReader, varintTag } from "./field-reader.ts";

const [seconds, nanos] = [varintTag(TimestampSchema.field.seconds), varintTag(TimestampSchema.field.nanos)];

/**
 * Reads a google.protobuf.Timestamp up to its end, in epoch milliseconds. One before 1970 is no exact number.
 * @throws RangeError where the bytes are none
 */
export function readInstant(reader: FieldReader, end: number): number {
  let atMs = 0;
  for (let tag = reader.next(end); tag !== 0; tag = reader.next(end)) {
    if (tag === seconds) atMs += reader.varint() * 1000;
    else if (tag === nanos) atMs += Math.round(reader.varint() / 1_000_000);
    else reader.skip(tag);
  }
  return atMs;
}
