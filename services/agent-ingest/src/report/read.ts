import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { AppError, invalid } from "@sonde/kit/errors";
import { reportInput } from "@sonde/proto/http/agents";
import { faultsOf } from "@sonde/proto/http/issues";
import { ReportSchema, type Sample } from "@sonde/proto/gen/agents/v1/samples";

/** A report whose samples were not looked at yet: each in the shape of the public JSON. */
export type ReadReport = {
  samples: readonly unknown[];
  /** The agent's clock as the report left. */
  sentAtMs?: number;
  intervalSeconds?: number;
  /** What the host says of itself, where the report brought it; not looked at yet. */
  host?: unknown;
};

/** Reads a report's body. @throws AppError invalid */
export function readReport(contentType: string | undefined, body: Buffer): ReadReport {
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
  let report;
  try {
    report = fromBinary(ReportSchema, body);
  } catch (cause) {
    throw new AppError("invalid", "The body is not a valid report", { cause });
  }
  if (report.samples.length === 0) throw invalid([{ path: "samples", message: "This field is required" }]);
  const { interval, host } = report;
  const sentAtMs = report.sentAt === undefined ? undefined : timestampMs(report.sentAt);
  return {
    samples: report.samples.map(toPublic),
    ...(sentAtMs === undefined || !isInstant(sentAtMs) ? {} : { sentAtMs }),
    ...(interval !== undefined && interval >= 1 && interval <= 3600 ? { intervalSeconds: interval } : {}),
    ...(host === undefined ? {} : { host }),
  };
}

const isInstant = (ms: number) => Math.abs(ms) <= 8.64e15;

/** A protobuf sample has the public shape, but for its instant. */
function toPublic(sample: Sample): unknown {
  const atMs = sample.at === undefined ? Number.NaN : timestampMs(sample.at);
  return { ...sample, at: isInstant(atMs) ? new Date(atMs).toISOString() : undefined };
}

function readJson(body: Buffer): ReadReport {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new AppError("invalid", "The body is not valid JSON", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "The body must be a JSON object");
  }
  const parsed = reportInput.safeParse(value);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues).slice(0, 50));
  const { samples, sentAt, interval, host } = parsed.data;
  return {
    samples,
    ...(sentAt === undefined ? {} : { sentAtMs: Date.parse(sentAt) }),
    ...(interval === undefined ? {} : { intervalSeconds: interval }),
    ...(host === undefined ? {} : { host }),
  };
}
