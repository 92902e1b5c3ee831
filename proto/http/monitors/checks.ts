import * as z from "zod";
import { instant, success } from "../envelope.ts";
import type { Message } from "../messages.ts";
import { isTimeZone } from "../notifications/settings.ts";

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
  "failed",
  "missed",
  "overrun",
  "too_quick",
] as const;
export type CheckErrorKind = (typeof checkErrorKinds)[number];

/**
 * Phases of a check in milliseconds. A phase that this kind of check lacks is absent; one that was not reached is 0,
 * and so is `tls` for plain HTTP.
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

/** Progress of a recovery: a monitor that is down is up after `of` successful checks in a row. */
export const goodChecks = z.object({ good: z.int(), of: z.int() });

/** Outcome of one slot. `monitorId` is 0 for tests of unsaved monitors. */
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
  /** From 1; each retry adds 1. */
  attempt: z.int(),
  /** Consecutive failures at this location, including this one. */
  failures: z.int(),
  /** Milliseconds between the slot and the start of the check. */
  lateness: z.number(),
  manual: z.boolean(),
  /** True if the slot was in a maintenance window and is therefore outside uptime and coverage. */
  inMaintenance: z.literal(true).optional(),
});
export type CheckResult = z.infer<typeof checkResult>;

export const checksQuery = z.strictObject({
  before: instant.optional(),
  from: instant.optional().meta({ description: "Earliest slot." }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  failed: z.enum(["true", "false"]).optional().meta({ description: "`true` lists failed checks only." }),
});
export const checksAnswer = success({ checks: z.array(checkResult) });
export const checkAnswer = success({ result: checkResult });

export const historyRanges = ["1h", "24h", "7d", "30d"] as const;
export type HistoryRange = (typeof historyRanges)[number];
const historySteps = ["1m", "5m", "1h", "1d"] as const;
export type HistoryStep = (typeof historySteps)[number];

/** Steps allowed for each range, the default first: those that produce at most 1,000 buckets. */
export const stepsOfRange: Readonly<Record<HistoryRange, readonly [HistoryStep, ...HistoryStep[]]>> = {
  "1h": ["1m", "5m", "1h", "1d"],
  "24h": ["5m", "1h", "1d"],
  "7d": ["1h", "1d"],
  "30d": ["1d", "1h"],
};

const minuteMs = 60_000;
export const stepsMs = {
  "1m": minuteMs,
  "5m": 5 * minuteMs,
  "1h": 60 * minuteMs,
  "1d": 1_440 * minuteMs,
} satisfies Record<HistoryStep, number>;
const maxBuckets = 1_000;
const ownBuckets = 300;

/** Returns the smallest step that divides a period (milliseconds) into at most `most` buckets; days if none does. */
export const stepOfPeriod = (periodMs: number, max = ownBuckets): HistoryStep =>
  historySteps.find((step) => periodMs <= stepsMs[step] * max) ?? "1d";

export const spansMs = {
  "1h": stepsMs["1h"],
  "24h": stepsMs["1d"],
  "7d": 7 * stepsMs["1d"],
  "30d": 30 * stepsMs["1d"],
} satisfies Record<HistoryRange, number>;

/** A period: a length up to now, or two instants. */
const period = {
  range: z.enum(historyRanges).default("24h"),
  from: instant.optional().meta({ description: "Start of the period, instead of `range`; it ends at `until` or now." }),
  until: instant
    .optional()
    .meta({ description: "End of the period. Without `from`, the period has the length of `range`." }),
};
type Period = { range: HistoryRange; from?: string | undefined; until?: string | undefined };

/** Returns the period between two instants (epoch milliseconds), or `null` for a range up to now. */
export function ownPeriod({ range, from, until }: Period, nowMs: number): { fromMs: number; untilMs: number } | null {
  if (from === undefined && until === undefined) return null;
  const untilMs = until === undefined ? nowMs : Date.parse(until);
  return { fromMs: from === undefined ? untilMs - spansMs[range] : Date.parse(from), untilMs };
}

const isPeriod = (asked: Period) => {
  const own = ownPeriod(asked, Date.now());
  return own === null || own.untilMs > own.fromMs;
};
const noPeriod = { message: "The end must be after the start" satisfies Message, path: ["until"] };

function isStepOf({ step, ...asked }: Period & { step?: HistoryStep | undefined }) {
  const own = ownPeriod(asked, Date.now());
  if (own === null) return step === undefined || stepsOfRange[asked.range].includes(step);
  const periodMs = own.untilMs - own.fromMs;
  return periodMs <= stepsMs[step ?? stepOfPeriod(periodMs)] * maxBuckets;
}

export const historyQuery = z
  .strictObject({
    ...period,
    step: z.enum(historySteps).optional().meta({
      description:
        "Default: 1m for 1h, 5m for 24h, 1h for 7d and 1d for 30d. Steps that produce more than 1,000 buckets are rejected.",
    }),
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .refine(isTimeZone, "Unknown time zone")
      .default("UTC")
      .meta({ description: "IANA time zone for `1d` buckets." }),
  })
  .refine(isPeriod, noPeriod)
  .refine(isStepOf, { message: "This step would produce more than 1000 buckets" satisfies Message, path: ["step"] });

export const locationsQuery = z
  .strictObject(period)
  .refine(isPeriod, noPeriod)
  .refine(isStepOf, { message: "This step would produce more than 1000 buckets" satisfies Message, path: ["until"] });

/** One step of a history. Milliseconds and percent; `null` without completed checks. */
export const historyBucket = z.object({
  start: instant,
  /** Checks outside maintenance. */
  checks: z.int(),
  up: z.int(),
  /** up / checks in percent; `null` without data. */
  availability: z.number().nullable(),
  /** Completed / expected slots in percent; `null` if none were expected. */
  coverage: z.number().nullable(),
  avg: z.number().nullable(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  max: z.number().nullable(),
  /**
   * Average of each phase over the checks that have it. A phase that was not reached counts as 0, so the phases of a
   * bucket add up to at most `total`. Absent without data, and for hours stored without phases.
   */
  timings: timings.optional(),
  lastCheckedAt: instant.nullable(),
  /** Newest error message within the step. */
  error: z.string().optional(),
  /** True if part of the step was in a maintenance window, whose checks only count for times. */
  inMaintenance: z.literal(true).optional(),
});
export type HistoryBucket = z.infer<typeof historyBucket>;

/**
 * Figures of a whole period; `null` without completed checks. `p50` and `p95` only include successful checks: failed
 * ones took as long as the timeout, or no time.
 */
export const historySummary = z.object({
  from: instant,
  until: instant,
  checks: z.int(),
  failures: z.int(),
  /** up / checks in percent. */
  uptime: z.number().nullable(),
  /** Completed / expected slots in percent. */
  coverage: z.number().nullable(),
  avg: z.number().nullable(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
});
export type HistorySummary = z.infer<typeof historySummary>;

/** Changes to how a monitor is checked. Other edits only change `updatedAt`. */
const changeKinds = ["created", "paused", "resumed", "interval", "locations"] as const;
const historyChange = z.object({ at: instant, kinds: z.array(z.enum(changeKinds)) });
export type HistoryChange = z.infer<typeof historyChange>;

/** `step` in seconds; a day is 86,400 even when clocks change. */
export const historyAnswer = success({
  range: z.enum(historyRanges),
  step: z.int(),
  timeZone: z.string(),
  buckets: z.array(historyBucket),
  /** From the first bucket to now. */
  summary: historySummary,
  /** The preceding period of the same length; `null` if the monitor did not exist or its data is no longer retained. */
  previous: historySummary.nullable(),
  /** Oldest first; absent from the previous version. */
  changes: z.array(historyChange).optional(),
});

/** Checks of a monitor at one location. `times` are medians of successful checks in milliseconds, one per step. */
const locationHistory = z.object({
  name: z.string(),
  /** Checks outside maintenance. */
  checks: z.int(),
  failures: z.int(),
  /** Percent; null without checks. */
  uptime: z.number().nullable(),
  /** Milliseconds, successful checks only. */
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  times: z.array(z.number().nullable()),
});
export type LocationHistory = z.infer<typeof locationHistory>;

/** Sorted by name. `from` is the start of the first step, `step` its length in seconds. */
export const locationHistoriesAnswer = success({
  from: instant,
  step: z.int(),
  locations: z.array(locationHistory),
});
