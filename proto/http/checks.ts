import { z } from "zod";
import { instant, success } from "./envelope.ts";

export const checkStatuses = ["up", "down"] as const;
export type CheckStatus = (typeof checkStatuses)[number];

export const checkErrorKinds = [
  "dns",
  "connect",
  "tls",
  "timeout",
  "protocol",
  "status",
  "assertion",
  "blocked",
] as const;
export type CheckErrorKind = (typeof checkErrorKinds)[number];

/**
 * The phases of a check in milliseconds. One that the kind of check does not have is absent; one that was not reached is
 * 0, and so is `tls` of plain HTTP.
 */
export const timings = z.object({
  dns: z.number().optional(),
  connect: z.number().optional(),
  tls: z.number().optional(),
  firstByte: z.number().optional(),
  total: z.number(),
});
export type Timings = z.infer<typeof timings>;

export const checkError = z.object({ kind: z.enum(checkErrorKinds), message: z.string() });
export type CheckError = z.infer<typeof checkError>;

/** The outcome of one slot. `monitorId` is 0 where a monitor was tested before it was saved. */
export const checkResult = z.object({
  monitorId: z.int(),
  location: z.string(),
  slot: instant,
  startedAt: instant,
  status: z.enum(checkStatuses),
  statusCode: z.int().optional(),
  /** Milliseconds. */
  responseTime: z.number(),
  timings,
  error: checkError.optional(),
  /** From 1; a re-check counts up. */
  attempt: z.int(),
  /** Failures in a row at this location, this one included. */
  failures: z.int(),
  /** Milliseconds after its slot that the check began. */
  lateness: z.number(),
  manual: z.boolean(),
  /** Its slot lay in a maintenance window: it is outside uptime and coverage. */
  inMaintenance: z.literal(true).optional(),
});
export type CheckResult = z.infer<typeof checkResult>;

export const checksQuery = z.strictObject({
  before: instant.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const checksAnswer = success({ checks: z.array(checkResult) });
export const checkAnswer = success({ result: checkResult });

export const historyRanges = ["24h", "30d"] as const;
export type HistoryRange = (typeof historyRanges)[number];
export const historyQuery = z.strictObject({ range: z.enum(historyRanges).default("24h") });

/** One step of a history. Figures in milliseconds and percent; null where no check was seen. */
export const historyBucket = z.object({
  start: instant,
  checks: z.int(),
  up: z.int(),
  /** up / checks, percent; null: no data. */
  availability: z.number().nullable(),
  /** slots seen / slots expected, percent; null where no slot was expected. */
  coverage: z.number().nullable(),
  avg: z.number().nullable(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  max: z.number().nullable(),
  lastCheckedAt: instant.nullable(),
  /** The newest failure's message within the step. */
  error: z.string().optional(),
  /** A part of the step lay in a maintenance window; what was checked then is in none of the figures. */
  inMaintenance: z.literal(true).optional(),
});
export type HistoryBucket = z.infer<typeof historyBucket>;

/** `step` in seconds. */
export const historyAnswer = success({
  range: z.enum(historyRanges),
  step: z.int(),
  buckets: z.array(historyBucket),
});
