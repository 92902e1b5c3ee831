import * as z from "zod";
import { alertKinds, suppressionReasons } from "./alerts.ts";
import { endFields, hasOneEnd, noOneEnd } from "../ends.ts";
import type { Message } from "../messages.ts";
import { instant, listQuery, maxId, success } from "../envelope.ts";
import { evidence } from "./evidence.ts";
import { targetFilter, targetShape } from "../monitors/targets.ts";
import { nameOf, textOf } from "../text.ts";

export const incidentKinds = ["down", "offline", "threshold", "stale", "partial"] as const;
export type IncidentKind = (typeof incidentKinds)[number];
export const incidentResolutions = ["recovered", "paused", "deleted", "edited"] as const;
export type IncidentResolution = (typeof incidentResolutions)[number];

/** Who opens incidents: each answers the incidents contract under this name (proto/rpc/incidents.ts). */
export const incidentProducers = ["monitors", "agents"] as const;
export type IncidentProducer = (typeof incidentProducers)[number];

export const incident = z.object({
  /** `m…` of a monitor, `a…` of an agent. */
  id: z.string(),
  target: targetShape,
  kind: z.enum(incidentKinds),
  metric: z.string().optional().meta({
    description:
      "Of `threshold`, what was measured. Of `stale`, a location from which no results come: one incident for all of its monitors, whose target is one of them.",
  }),
  cause: z.string(),
  /** How often the target failed again while this was open, if it flaps. */
  flaps: z.int().optional(),
  openedAt: instant,
  closedAt: instant.optional(),
  resolution: z.enum(incidentResolutions).optional(),
  acknowledgedAt: instant.optional().meta({ description: "Somebody works on it: reminders stopped." }),
  acknowledgedBy: z.string().optional(),
  note: z.string().optional().meta({ description: "What they wrote." }),
  snoozedUntil: instant.optional().meta({ description: "No message of it is sent until then, but that of its end." }),
  snoozedBy: z.string().optional(),
  silencedUntil: instant.optional().meta({ description: "While it is open: the same of all messages of its target." }),
});
export type Incident = z.infer<typeof incident>;

/** The id of an incident in a path. */
const incidentIdPattern = /^[ma][1-9]\d{0,9}$/;
const maxIds = 200;
const ids = z
  .string()
  .regex(/^[ma][1-9]\d{0,9}(?:,[ma][1-9]\d{0,9})*$/)
  .refine((text) => text.split(",").length <= mostIds, {
    message: "Too many entries (maximum {max})",
    params: { max: mostIds },
  })
  .transform((text) => [...new Set(text.split(","))])
  .meta({
    pattern: String.raw`^[ma][1-9]\d{0,9}(,[ma][1-9]\d{0,9}){0,${maxIds - 1}}$`,
    description: `Ids of incidents with commas between them, ${maxIds} at most.`,
    examples: ["m12,a3"],
  });

const { page, pageSize, search, sort } = listQuery(["openedAt", "closedAt"]);
export const incidentsQuery = z.strictObject({
  page,
  pageSize,
  search,
  sort,
  open: z.enum(["true", "false"]).optional(),
  kind: z.enum(incidentKinds).optional(),
  target: targetFilter.optional(),
  acknowledged: z.enum(["true", "false"]).optional(),
  ids: ids.optional(),
});
export const monitorIncidentsQuery = z.strictObject({ page, pageSize });
/** `unavailable`: producers whose incidents are missing, and not counted in `total`, because they are unavailable. */
export const incidentsAnswer = success({
  incidents: z.array(incident),
  total: z.int(),
  unavailable: z.array(z.enum(incidentProducers)).optional(),
});

export const incidentId = z
  .string()
  .regex(incidentIdPattern)
  .refine((text) => Number(text.slice(1)) <= maxId);

export const acknowledgeInput = z.strictObject({
  note: textOf({ max: 2000 }).optional(),
});
export const maxSnoozedMinutes = 1_440;
const snoozeEnd = endFields(maxSnoozedMinutes);
export const snoozeInput = z.strictObject(snoozeEnd).refine(hasOneEnd, noOneEnd);

/** How long a snooze by the signed link of a message lasts. */
export const linkSnoozeMinutes = 60;
const token = z.string().min(1).max(1000);
const by = nameOf(100)
  .optional()
  .meta({ description: "As whom: shown before the name of the channel that the link was sent to." });
/** By the signed link of a message. */
export const acknowledgeByLinkInput = z.strictObject({ token, note: acknowledgeInput.shape.note, by });
export const snoozeByLinkInput = z.strictObject({ token, by });
export const acknowledgeLinkQuery = z.strictObject({ token });

/** Many at once; what is so already stays as it is. */
export const incidentsBulkInput = z
  .strictObject({
    ids: z.array(z.string().regex(incidentIdPattern)).min(1).max(maxIds),
    action: z.enum(["acknowledge", "unacknowledge", "snooze", "unsnooze"]),
    ...snoozeEnd,
  })
  .refine(({ action, ...end }) => action !== "snooze" || hasOneEnd(end), noOneEnd)
  .refine(({ action, until, minutes }) => action === "snooze" || (until ?? minutes) === undefined, {
    path: ["action"],
    message: "Only snoozing takes an end time" satisfies Message,
  });
export const incidentsBulkAnswer = success({
  incidents: z.array(incident),
  failed: z.array(z.object({ id: z.string(), message: z.string() })),
});

/** One request to a provider, and its outcome. */
export const attempt = z.object({
  at: instant,
  statusCode: z.int().optional(),
  answer: z.string().meta({ description: "In the provider's words, or what went wrong on the way." }),
  durationMs: z.number(),
});
export type Attempt = z.infer<typeof attempt>;

export const timelineTypes = [
  "failure",
  "recheck",
  "opinion",
  "opened",
  "flapping",
  "steady",
  "alert",
  "delivery",
  "not_sent",
  "acknowledged",
  "unacknowledged",
  "snoozed",
  "snooze_ended",
  "closed",
] as const;

/** One event of an incident's timeline, oldest first. */
export const timelineEntry = z.object({
  at: instant,
  type: z.enum(timelineTypes),
  text: z.string().meta({ description: "The whole of it in words, in the language that was asked for." }),
  channelId: z.int().optional(),
  channelName: z.string().optional(),
  deliveryId: z.int().optional(),
  status: z.string().optional(),
  kind: z.enum(alertKinds).optional(),
  reason: z.enum(suppressionReasons).optional(),
  heldUntil: instant
    .optional()
    .meta({ description: "When what is held is decided again, where that is known; of a snooze its end." }),
  detail: z.string().optional().meta({ description: "What a provider said, or why a check failed." }),
  attempts: z.array(attempt).optional().meta({ description: "Of a delivery: the newest of its attempts." }),
});
export type TimelineEntry = z.infer<typeof timelineEntry>;

export const incidentAnswer = success({ incident });
export const incidentStoryAnswer = success({
  incident,
  timeline: z.array(timelineEntry),
  omitted: z.int().optional().meta({ description: "So much of a long timeline's midst is left out." }),
  channels: z
    .array(
      z.object({
        channelId: z.int(),
        channelName: z.string(),
        told: z.boolean(),
        text: z.string(),
        heldUntil: timelineEntry.shape.heldUntil,
      }),
    )
    .meta({ description: "Why each channel that was chosen was, or was not, notified: one sentence a channel." }),
  notChosen: z
    .object({ count: z.int(), text: z.string() })
    .optional()
    .meta({ description: "The other channels, in one sentence." }),
  silencedUntil: instant
    .optional()
    .meta({ description: "No message of its target is sent until then; also where it is over." }),
  nextReminderAt: instant.optional(),
  evidence: evidence.optional().meta({ description: "Of the failed check nearest to the opening, if it was kept." }),
  latestEvidence: evidence
    .optional()
    .meta({ description: "While it is open: of the newest failed check, if another." }),
  unavailable: z
    .array(z.enum(["checks", "notifications"]))
    .optional()
    .meta({ description: "Parts that could not be asked: their entries are missing." }),
});
/** The target of a link, read without any effect, since mail scanners follow links. */
export const acknowledgeLinkAnswer = success({
  incident: z.object({
    id: z.string(),
    targetName: z.string(),
    openedAt: instant,
    cause: z.string(),
    isOpen: z.boolean(),
    acknowledged: z.boolean(),
    acknowledgedBy: z.string().optional(),
    snoozedUntil: instant.optional(),
    runbook: z.string().optional().meta({ description: "The monitor's note: markdown." }),
  }),
  by: z.string().meta({ description: "The author of what is done by the link: the name of its channel." }),
});
