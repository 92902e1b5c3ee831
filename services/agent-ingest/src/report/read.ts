import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { AppError, invalid } from "@sonde/kit/errors";
import { parseJson, tooLarge } from "@sonde/kit/http/request-body";
import { slices } from "@sonde/kit/concurrency/slices";
import { reportInput } from "@sonde/proto/http/agents/agents";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { ReportSchema } from "@sonde/proto/gen/agents/v1/samples";
import { maxBatchSamples, maxRestBytes } from "./limits.ts";
import { type EncodedSample, isInstant, jsonSample, protobufSample } from "./sample.ts";
import { splitJson } from "./split-json.ts";
import { readFields, lengthDelimited } from "./wire.ts";

export type ReadReport = {
  samples: readonly EncodedSample[];
  sentAtMs: number | undefined;
  intervalSeconds: number | undefined;
  /** Not validated yet. */
  host: unknown;
};

/** Maximum fields of a report without its samples, and of its host facts. About 4 and 60 are in use. */
const maxRestFields = 50;
const maxHostFields = 100;
const field = { samples: 1, sentAt: 2, interval: 3, host: 4 } as const;
const fixed64 = 1;

/**
 * Reads an inflated body. The cost is proportional to its bytes: no sample is decoded before all are counted.
 * @throws AppError `invalid`; `too_large` for too many samples
 */
export async function readReport(contentType: string | undefined, body: Buffer): Promise<ReadReport> {
  const [type = ""] = (contentType ?? "").toLowerCase().split(";");
  switch (type.trim()) {
    case "application/x-protobuf":
    case "application/protobuf":
      return readProtobuf(body);
    case "application/json":
      return readJson(body);
    default:
      throw new AppError("invalid", "The content type must be application/json or application/x-protobuf");
  }
}

function readProtobuf(body: Buffer): ReadReport {
  const samples: EncodedSample[] = [];
  const rest: Buffer[] = [];
  let sentAtMs: number | undefined;
  let interval: number | undefined;
  for (const { number, wireType, begin, valueBegin, end } of readFields(body, maxBatchSamples + maxRestFields)) {
    if (number === field.samples && wireType === lengthDelimited) {
      if (samples.length >= maxBatchSamples) throw tooMany();
      samples.push(protobufSample(body.subarray(valueBegin, end)));
    } else if (number === field.sentAt && wireType === lengthDelimited) {
      sentAtMs = readSentAt(body.subarray(valueBegin, end));
    } else if (number === field.interval && wireType === fixed64) interval = body.readDoubleLE(valueBegin);
    else {
      if (number === field.host) for (const _ of readFields(body, maxHostFields, valueBegin, end));
      rest.push(body.subarray(begin, end));
    }
  }
  if (samples.length === 0) throw invalid([{ path: "samples", message: "This field is required" }]);
  return {
    samples,
    sentAtMs,
    intervalSeconds: interval !== undefined && interval >= 1 && interval <= 3600 ? interval : undefined,
    // Most reports have nothing else.
    host: rest.length === 0 ? undefined : decodeRest(Buffer.concat(rest)).host,
  };
}

/** `undefined` if a date cannot hold it. @throws AppError `invalid` */
function readSentAt(bytes: Buffer): number | undefined {
  try {
    const atMs = timestampMs(fromBinary(TimestampSchema, bytes));
    return isInstant(atMs) ? atMs : undefined;
  } catch (cause) {
    throw new AppError("invalid", "The body is not a valid report", { cause });
  }
}

function decodeRest(rest: Buffer) {
  if (rest.length > maxRestBytes) throw tooLarge(maxRestBytes);
  try {
    return fromBinary(ReportSchema, rest, { readUnknownFields: false });
  } catch (cause) {
    throw new AppError("invalid", "The body is not a valid report", { cause });
  }
}

const tooMany = () =>
  new AppError("too_large", "A report can contain at most {max} samples", { params: { max: maxBatchSamples } });

async function readJson(body: Buffer): Promise<ReadReport> {
  const split = await splitJson(body, maxBatchSamples, slices());
  if (split.rest.length > maxRestBytes) throw tooLarge(maxRestBytes);
  const value = parseJson(split.rest);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "The body must be a JSON object");
  }
  // The split left an empty list in place of the samples, which would fail validation.
  const withSamples = split.samples.length === 0 ? value : { ...value, samples: [{}] };
  const parsed = reportInput.safeParse(withSamples);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues).slice(0, 50));
  const { sentAt, interval, host } = parsed.data;
  return {
    samples: split.samples.map(jsonSample),
    sentAtMs: sentAt === undefined ? undefined : Date.parse(sentAt),
    intervalSeconds: interval,
    host,
  };
}
