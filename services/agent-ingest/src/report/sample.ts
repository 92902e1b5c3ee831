import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import { parseJson } from "@sonde/kit/http/request-body";
import { type Sample, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { type MessageFields, sampleFields } from "@sonde/proto/samples/fields";
import { maxSampleBytes } from "./limits.ts";
import { readFields, lengthDelimited } from "./wire.ts";

/**
 * A sample as sent. `decode` returns it in the public JSON shape, or its error.
 * @throws AppError `invalid` if the whole report is malformed
 */
export type EncodedSample = { decode(): { value: unknown } | { fault: FieldFault } };

type SampleList = { name: string; fields: MessageFields; maxEntries: number };
export const sampleLists = new Map<number, SampleList>();
const nested = new Set<number>();
for (const [name, field] of Object.entries(sampleFields)) {
  if (field.kind === "list") sampleLists.set(field.number, { name, ...field });
  if ("fields" in field || field.kind === "instant") nested.add(field.number);
}
/** In a sample including its parts. Full lists have about two thousand. */
const maxFields = 4_000;

const tooLong = ({ name: path, maxEntries: max }: SampleList): FieldFault => ({
  path,
  message: "Too many entries (maximum {max})",
  params: { max },
});
const tooMuch: FieldFault = { path: "", message: "The sample is too large" };

export const jsonSample = (bytes: Buffer): EncodedSample => ({
  decode() {
    if (bytes.length > maxSampleBytes) return { fault: tooMuch };
    const value = parseJson(bytes);
    const given = (value ?? {}) as Record<string, unknown>;
    const long = [...sampleLists.values()].find(({ name, maxEntries }) => {
      const list = given[name];
      return Array.isArray(list) && list.length > maxEntries;
    });
    return long === undefined ? { value } : { fault: tooLong(long) };
  },
});

export const protobufSample = (bytes: Buffer): EncodedSample => ({
  decode() {
    if (bytes.length > maxSampleBytes) return { fault: tooMuch };
    const fault = overlong(bytes);
    if (fault !== null) return { fault };
    try {
      return { value: toPublic(fromBinary(SampleSchema, bytes, { readUnknownFields: false })) };
    } catch (cause) {
      throw new AppError("invalid", "The body is not a valid report", { cause });
    }
  },
});

/** Counts entries and fields before decoding. */
function overlong(bytes: Uint8Array): FieldFault | null {
  const counts = new Map<SampleList, number>();
  let fields = 0;
  for (const { number, wireType, valueBegin, end } of readFields(bytes, bytes.length)) {
    if (++fields > maxFields) return tooMuch;
    if (wireType !== lengthDelimited || !nested.has(number)) continue;
    for (const _ of readFields(bytes, bytes.length, valueBegin, end)) if (++fields > maxFields) return tooMuch;
    const list = sampleLists.get(number);
    if (list === undefined) continue;
    const count = (counts.get(list) ?? 0) + 1;
    if (count > list.maxEntries) return tooLong(list);
    counts.set(list, count);
  }
  return null;
}

export const isInstant = (ms: number) => Math.abs(ms) <= 8.64e15;

function toPublic(sample: Sample): unknown {
  const atMs = sample.at === undefined ? Number.NaN : timestampMs(sample.at);
  return { ...sample, at: isInstant(atMs) ? new Date(atMs).toISOString() : undefined };
}
