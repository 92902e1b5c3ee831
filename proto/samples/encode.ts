import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type MessageFields, sampleFields, type SampleValues } from "./fields.ts";

/** Encodes a Sample from the field table. Generated code with its descriptors would cost the agent megabytes. */
export function encodeSampleValues(values: SampleValues): Uint8Array {
  const writer = new BinaryWriter();
  writeFields(writer, sampleFields, values);
  return writer.finish();
}

function writeFields(writer: BinaryWriter, fields: MessageFields, values: Record<string, unknown>): void {
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    if (field.kind === "double") writer.tag(field.number, WireType.Bit64).double(value as number);
    else if (field.kind === "uint32") writer.tag(field.number, WireType.Varint).uint32(value as number);
    else if (field.kind === "text") writer.tag(field.number, WireType.LengthDelimited).string(value as string);
    else if (field.kind === "instant") writeInstant(writer, field.number, value as number);
    else {
      for (const entry of field.kind === "list" ? (value as object[]) : [value as object]) {
        writer.tag(field.number, WireType.LengthDelimited).fork();
        writeFields(writer, field.fields, entry as Record<string, unknown>);
        writer.join();
      }
    }
  }
}

/** google.protobuf.Timestamp, in whole milliseconds. */
export function writeInstant(writer: BinaryWriter, number: number, epochMs: number): void {
  const wholeMs = Math.round(epochMs);
  const seconds = Math.floor(wholeMs / 1000);
  writer.tag(number, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(seconds);
  writer.tag(2, WireType.Varint).int32((wholeMs - seconds * 1000) * 1_000_000);
  writer.join();
}
