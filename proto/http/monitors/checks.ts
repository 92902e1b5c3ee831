import { z } from "zod";
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
  failed: z.enum(["true", "false"]).optional().meta({ description: "`true` lists failed checks only." }),
});
export const checksAnswer = success({ checks: z.array(checkResult) });
export const checkAnswer = success({ result: checkResult });

export const historyRanges = ["1h", "24h", "7d", "30d"] as const;
export type HistoryRange = (typeof historyRanges)[number];
const historySteps = ["1m", "5m", "1h", "1d"] as const;
export type HistoryStep = (typeof historySteps)[number];

/** The steps that each range can have, its own first: those that make at most 1,000 buckets. */
export const stepsOfRange: Readonly<Record<HistoryRange, readonly [HistoryStep, ...HistoryStep[]]>> = {
  "1h": ["1m", "5m", "1h", "1d"],
  "24h": ["5m", "1h", "1d"],
  "7d": ["1h", "1d"],
  "30d": ["1d", "1h"],
};

export const historyQuery = z
  .strictObject({
    range: z.enum(historyRanges).default("24h"),
    step: z.enum(historySteps).optional().meta({
      description:
        "By default 1m of 1h, 5m of 24h, 1h of 7d and 1d of 30d. A step that gives more than 1,000 buckets is refused.",
    }),
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .refine(isTimeZone, "This is not a known time zone")
      .default("UTC")
      .meta({ description: "Whose days the buckets of `1d` are: an IANA name." }),
  })
  .refine(({ range, step }) => step === undefined || stepsOfRange[range].includes(step), {
    message: "This step gives more than 1000 buckets" satisfies Message,
    path: ["step"],
  });

/** One step of a history. Figures in milliseconds and percent; null where no check was seen. */
export const historyBucket = z.object({
  start: instant,
  /** Those outside maintenance. */
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
  /**
   * Average of each phase over the checks of a kind that has it. As in a check, a phase that was not reached counts as 0,
   * so the phases of a bucket add up to at most `total`. Absent without data, and of hours that were stored without phases.
   */
  timings: timings.optional(),
  lastCheckedAt: instant.nullable(),
  /** The newest failure's message within the step. */
  error: z.string().optional(),
  /** A part of the step lay in a maintenance window; what was checked then counts for times alone. */
  inMaintenance: z.literal(true).optional(),
});
export type HistoryBucket = z.infer<typeof historyBucket>;

/** Figures of a whole period, as those of a bucket; null where no check was seen. */
export const historySummary = z.object({
  from: instant,
  until: instant,
  checks: z.int(),
  failures: z.int(),
  /** up / checks, percent. */
  uptime: z.number().nullable(),
  /** slots seen / slots expected, percent. */
  coverage: z.number().nullable(),
  avg: z.number().nullable(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
});
export type HistorySummary = z.infer<typeof historySummary>;

/** `step` in seconds; a day counts as 86,400, also where a change of clocks makes it shorter or longer. */
export const historyAnswer = success({
  range: z.enum(historyRanges),
  step: z.int(),
  timeZone: z.string(),
  buckets: z.array(historyBucket),
  /** From the first bucket to the present. */
  summary: historySummary,
  /** The period of the same length before; null where the monitor did not exist, or what it was is kept no longer. */
  previous: historySummary.nullable(),
});
