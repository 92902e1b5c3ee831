import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import { parseJson } from "@sonde/kit/http/request-body";
import { type Sample, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { lists, maxSampleBytes } from "./limits.ts";
import { readPlainSample } from "./plain-sample.ts";
import { fieldsOf } from "./wire.ts";

/**
 * A sample as it was sent. `decode` returns it in the shape of the public JSON, or its fault.
 * @throws AppError `invalid` if the whole report is malformed
 */
export type EncodedSample = {
  decode(): { value: unknown } | { fault: FieldFault };
  /** One that is good as its bytes are, which is most; null where it has to be decoded. */
  readPlain?(): GoodSample | null;
};

/** A good sample with its bytes; its instant is by the agent's clock. */
export type GoodSample = { atMs: number; bytes: Uint8Array };

export type ListName = keyof typeof lists;
export const listNames = Object.keys(lists) as ListName[];

const listOfField = new Map<number, ListName>(listNames.map((name) => [SampleSchema.field[name].number, name]));
const nested = new Set(SampleSchema.fields.filter(({ message }) => message !== undefined).map(({ number }) => number));
const lengthDelimited = 2;
/** Of a sample and its parts together: full lists have some two thousand. */
const mostFields = 4_000;

const tooLong = (name: ListName): FieldFault => ({
  path: name,
  message: "Too many entries (at most {max})",
  params: { max: lists[name] },
});
const tooMuch: FieldFault = { path: "", message: "The sample is too large" };

export const jsonSample = (bytes: Buffer): EncodedSample => ({
  decode() {
    if (bytes.length > maxSampleBytes) return { fault: tooMuch };
    const value = parseJson(bytes);
    if (typeof value !== "object" || value === null) return { value };
    const given = value as Partial<Record<ListName, unknown>>;
    const long = listNames.find((name) => Array.isArray(given[name]) && given[name].length > lists[name]);
    return long === undefined ? { value } : { fault: tooLong(long) };
  },
});

export const protobufSample = (bytes: Buffer): EncodedSample => ({
  readPlain() {
    const atMs = readPlainSample(bytes);
    return atMs === null ? null : { atMs, bytes };
  },
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

/** Counts entries and fields before anything is made of them. */
function overlong(bytes: Uint8Array): FieldFault | null {
  const counts = new Map<ListName, number>();
  let fields = 0;
  for (const { number, wireType, valueBegin, end } of fieldsOf(bytes, bytes.length)) {
    if (++fields > mostFields) return tooMuch;
    if (wireType !== lengthDelimited || !nested.has(number)) continue;
    for (const _ of fieldsOf(bytes, bytes.length, valueBegin, end)) if (++fields > mostFields) return tooMuch;
    const list = listOfField.get(number);
    if (list === undefined) continue;
    const count = (counts.get(list) ?? 0) + 1;
    if (count > lists[list]) return tooLong(list);
    counts.set(list, count);
  }
  return null;
}

const isInstant = (ms: number) => Math.abs(ms) <= 8.64e15;

/** A protobuf sample has the public shape, but for its instant. */
function toPublic(sample: Sample): unknown {
  const atMs = sample.at === undefined ? Number.NaN : timestampMs(sample.at);
  return { ...sample, at: isInstant(atMs) ? new Date(atMs).toISOString() : undefined };
}
