import { create } from "@bufbuild/protobuf";
import { clipError } from "@sonde/kit/clip";
import { checkErrorKinds, checkStatuses } from "@sonde/proto/http/monitors/checks";
import { type CheckResult, CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import { noPhase } from "../rollups/figures.ts";

export const checkColumns = [
  "monitor_id",
  "location",
  "slot",
  "manual",
  "lateness",
  "recheck_after",
  "up",
  "status_code",
  "dns",
  "connect",
  "tls",
  "first_byte",
  "total",
  "response_rest",
  "error_kind",
  "error",
  "attempt",
  "failures",
  "version",
  "runner",
  "maintenance",
] as const satisfies [string, ...string[]];

export type CheckRowValues = readonly (number | string | boolean)[];

const uint32Max = 0xffffffff;

const tenths = (ms: number) => Math.min(uint32Max, Math.max(0, Math.round(ms * 10)));
/** Like `tenths`, for a phase that the kind of check may not have (stored as `noPhase`). */
const phase = (ms: number | undefined) => (ms === undefined ? noPhase : Math.min(uint32Max - 1, tenths(ms)));
const whole = (value: number) => Math.min(uint32Max, Math.max(0, Math.round(value)));

const numbers = ["slotMs", "startedAtMs", "responseTimeMs", "latenessMs"] as const;
const phases = ["dnsMs", "connectMs", "tlsMs", "firstByteMs", "totalMs"] as const;
const isOdd = (value: number | undefined) => value !== undefined && !Number.isFinite(value);

/** Heartbeats only: a ping was due, but its outcome is unknown. */
export const isUnseen = ({ status }: CheckResult): boolean => status === "unseen";

/** Returns why a received result is invalid, or `null`. Stored values must be countable and comparable. */
export function rowProblem(result: CheckResult): string | null {
  const { timings } = result;
  const odd = numbers.find((name) => isOdd(result[name])) ?? phases.find((name) => isOdd(timings?.[name]));
  if (odd !== undefined) return `${odd} is not a number`;
  if (result.monitorId === 0) return "no monitor";
  if (result.location === "") return "no location";
  if (!(checkStatuses as readonly string[]).includes(result.status) && !isUnseen(result)) return "unknown status";
  if (result.error && !(checkErrorKinds as readonly string[]).includes(result.error.kind)) return "unknown error kind";
  if (result.slotMs < 0) return "slot before 1970";
  return null;
}

export function toRow(result: CheckResult): CheckRowValues {
  const { timings } = result;
  const latenessMs = whole(result.latenessMs);
  const total = tenths(timings?.totalMs ?? result.responseTimeMs);
  return [
    result.monitorId,
    result.location,
    Math.round(result.slotMs),
    result.manual,
    latenessMs,
    whole(result.startedAtMs - Math.round(result.slotMs) - latenessMs),
    result.status === "up",
    Math.min(65_535, result.statusCode ?? 0),
    phase(timings?.dnsMs),
    phase(timings?.connectMs),
    phase(timings?.tlsMs),
    phase(timings?.firstByteMs),
    total,
    Math.min(0x7fffffff, tenths(result.responseTimeMs) - total),
    result.error?.kind ?? "",
    clipError(result.error?.message ?? ""),
    Math.min(255, result.attempt),
    result.failures,
    result.version,
    result.runner.slice(0, 100).toWellFormed(),
    false,
  ];
}

export const inMaintenance = (row: CheckRowValues): CheckRowValues =>
  row.with(checkColumns.indexOf("maintenance"), true);

export type SelectedCheck = Record<
  | "monitorId"
  | "slotMs"
  | "startedAtMs"
  | "latenessMs"
  | "statusCode"
  | "responseTimeMs"
  | "totalMs"
  | "attempt"
  | "failures"
  | "version",
  number
> &
  Record<"dnsMs" | "connectMs" | "tlsMs" | "firstByteMs", number | null> &
  Record<"location" | "errorKind" | "error" | "runner", string> &
  Record<"manual" | "up" | "inMaintenance", boolean>;

function selectPhase(column: string): string {
  const name = column.replace(/_./g, ([, letter = ""]) => letter.toUpperCase());
  return `if(${column} = ${noPhase}, NULL, ${column} / 10) AS ${name}Ms`;
}

export const selectStored = `monitor_id AS monitorId, location, manual, up, attempt, failures, version, runner, error,
  error_kind AS errorKind, maintenance AS inMaintenance, status_code AS statusCode, lateness AS latenessMs,
  toFloat64(toUnixTimestamp64Milli(slot)) AS slotMs, slotMs + lateness + recheck_after AS startedAtMs,
  (toInt64(total) + response_rest) / 10 AS responseTimeMs,
  ${["dns", "connect", "tls", "first_byte"].map(selectPhase).join(", ")}, total / 10 AS totalMs`;

/** Restores the result of a stored row, with times rounded to tenths of a millisecond. */
export function resultOfRow(row: SelectedCheck): CheckResult {
  const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs, up, statusCode, errorKind, error, ...rest } = row;
  return create(CheckResultSchema, {
    ...rest,
    status: up ? "up" : "down",
    timings: {
      dnsMs: dnsMs ?? undefined,
      connectMs: connectMs ?? undefined,
      tlsMs: tlsMs ?? undefined,
      firstByteMs: firstByteMs ?? undefined,
      totalMs,
    },
    statusCode: statusCode || undefined,
    error: errorKind === "" ? undefined : { kind: errorKind, message: error },
  });
}
