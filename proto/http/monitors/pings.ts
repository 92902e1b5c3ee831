import * as z from "zod";
import { instant, success } from "../envelope.ts";

export const pingTypes = ["success", "start", "fail", "log"] as const;
export type PingType = (typeof pingTypes)[number];

/** One call of a heartbeat's address. */
export const ping = z.object({
  at: instant,
  type: z.enum(pingTypes),
  exitCode: z.int().optional(),
  runId: z.string().optional(),
  /** Milliseconds from the start of its run, or what the caller measured. */
  durationMs: z.number().optional(),
  /** The address of the caller. */
  from: z.string(),
  /** What it sent, at most 10 KB; only for those who may write. */
  output: z.string().optional(),
});
export type PingEntry = z.infer<typeof ping>;

export const pingsQuery = z.strictObject({
  before: instant.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const pingsAnswer = success({ pings: z.array(ping) });

/** What a heartbeat's answer has besides its fields. */
export const heartbeatFacts = {
  /** The address to call; masked for those who may not write. */
  pingUrl: z.string(),
  /** The one before works until then. */
  previousUrlUntil: instant.optional(),
  /** When the next success is expected, and from when its absence is a failure; null before the first ping of one that was not imported, and while paused. */
  dueAt: instant.nullable(),
  deadlineAt: instant.nullable(),
  running: z.array(z.object({ runId: z.string().optional(), since: instant })),
  lastRun: z
    .object({ startedAt: instant.nullable(), durationMs: z.number().nullable(), exitCode: z.int().nullable() })
    .nullable(),
};
export type HeartbeatFacts = z.infer<z.ZodObject<typeof heartbeatFacts>>;

export const scheduleQuery = z.strictObject({ cron: z.string().max(200), timeZone: z.string().max(64).default("UTC") });
/** The next five instants. */
export const scheduleAnswer = success({ next: z.array(instant) });

/** The key of addresses by slug, `/ping/{pingKey}/{slug}`: one for the installation. Null: there is none. */
export const pingKeyFacts = {
  /** Masked for those who may not write. */
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
