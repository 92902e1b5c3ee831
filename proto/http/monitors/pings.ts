import * as z from "zod";
import { instant, success } from "../envelope.ts";

export const pingTypes = ["success", "start", "fail", "log"] as const;
export type PingType = (typeof pingTypes)[number];

/** Numbers that a job reports about its run. */
export const factNames = ["rows", "bytes", "files", "ms"] as const;
export type FactName = (typeof factNames)[number];
export type RunFacts = Partial<Record<FactName, number>>;

/** A call of a heartbeat's address. */
export const ping = z.object({
  at: instant,
  type: z.enum(pingTypes),
  exitCode: z.int().optional(),
  runId: z.string().optional(),
  /** Milliseconds since the start of the run, or as measured by the caller. */
  durationMs: z.number().optional(),
  facts: z.partialRecord(z.enum(factNames), z.number()).optional(),
  /** Address of the caller. */
  from: z.string(),
  /** Output, at most 10 KB; only for users who may write. */
  output: z.string().optional(),
});
export type PingEntry = z.infer<typeof ping>;

export const pingsQuery = z.strictObject({
  before: instant.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  only: z.enum(["facts"]).optional().meta({ description: "`facts`: only pings with facts, without output." }),
});
export const pingsAnswer = success({ pings: z.array(ping) });

/** Additional response fields of heartbeats. */
export const heartbeatFacts = {
  /** Address to call; masked for users who may not write. */
  pingUrl: z.string(),
  /** The previous address works until then. */
  previousUrlUntil: instant.optional(),
  /**
   * When the next success is expected, and when its absence becomes a failure. `null` while paused, and before the
   * first ping unless it was imported.
   */
  dueAt: instant.nullable(),
  deadlineAt: instant.nullable(),
  running: z.array(z.object({ runId: z.string().optional(), since: instant })),
  lastRun: z
    .object({ startedAt: instant.nullable(), durationMs: z.number().nullable(), exitCode: z.int().nullable() })
    .nullable(),
};
export type HeartbeatFacts = z.infer<z.ZodObject<typeof heartbeatFacts>>;

export const scheduleQuery = z.strictObject({ cron: z.string().max(200), timeZone: z.string().max(64).default("UTC") });
export const scheduleAnswer = success({ next: z.array(instant) });

/** Ping key for addresses by slug, `/ping/{pingKey}/{slug}`, one per installation; `null` if there is none. */
export const pingKeyFacts = {
  /** Masked for users who may not write. */
  pingKey: z.string().nullable(),
  creates: z
    .boolean()
    .meta({ description: "Creates a heartbeat on the first ping with `?create=1` and an unknown slug." }),
};
export const pingKeyAnswer = success(pingKeyFacts);
export const pingKeyInput = z.strictObject({
  creates: z.boolean().default(false),
  renew: z.boolean().default(false).meta({ description: "Replaces the key; the old one stops working immediately." }),
});
