import * as z from "zod";
import { alertKinds, deferralReasons, suppressionReasons } from "./alerts.ts";
import { endFields, hasOneEnd, noOneEnd } from "../ends.ts";
import type { Message } from "../messages.ts";
import { instant, listQuery, maxId, success } from "../envelope.ts";
import { escalation } from "../on-call/escalation.ts";
import { evidence } from "./evidence.ts";
import { sharedCause, tracedPath, whatChanged } from "./explanation.ts";
import { goodChecks } from "../monitors/checks.ts";
import { alertSource } from "../monitors/inbound.ts";
import { targetFilter, targetShape } from "../monitors/targets.ts";
import { nameOf, textOf } from "../text.ts";

export const incidentKinds = ["down", "offline", "threshold", "stale", "partial", "slow", "external", "slo"] as const;
export type IncidentKind = (typeof incidentKinds)[number];
export const incidentResolutions = ["recovered", "paused", "deleted", "edited", "replaced"] as const;
export type IncidentResolution = (typeof incidentResolutions)[number];

/** Services that open incidents. Each implements the incidents contract under this name (proto/rpc/incidents.ts). */
export const incidentProducers = ["monitors", "agents"] as const;
export type IncidentProducer = (typeof incidentProducers)[number];

/** Only for `external`. */
const partialSource = z.object(alertSource).partial().shape;

export const incident = z.object({
  /** `m…` for monitors, `a…` for agents. */
  id: z.string(),
  target: targetShape,
  kind: z.enum(incidentKinds),
  metric: z.string().optional().meta({
    description:
      "For `threshold`, the metric. For `stale`, the location without results: one incident covers all its monitors, and its target is one of them. For `external`, the key of the alert; absent for the incident that reports too many open alerts. For `slo`, the id of the service level; its target is the monitor that spends most.",
  }),
  ...partialSource,
  cause: z.string(),
  /** How often the target failed again while the incident was open, if it flaps. */
  flaps: z.int().optional(),
  openedAt: instant,
  closedAt: instant.optional(),
  resolution: z
    .enum(incidentResolutions)
    .optional()
    .meta({ description: "`replaced`: the monitor was slow and went down, which is another incident." }),
  acknowledgedAt: instant
    .optional()
    .meta({ description: "When the incident was acknowledged, which stops its reminders." }),
  acknowledgedBy: z.string().optional(),
  note: z.string().optional().meta({ description: "Note of the acknowledgement." }),
  snoozedUntil: instant
    .optional()
    .meta({ description: "Messages are deferred until then, except the one for recovery." }),
  snoozedBy: z.string().optional(),
  silencedUntil: instant
    .optional()
    .meta({ description: "For open incidents: a silence defers all messages of the target until then." }),
});
export type Incident = z.infer<typeof incident>;

/** Also `d…` for drills, which only the links in their messages can read. */
export const linkedIncidentId = z.string().regex(/^[mad][1-9]\d{0,9}$/);
/** Maximum number of incidents of a link: those of a combined message. */
export const maxLinkedIncidents = 50;
/** Separated by commas. */
export const linkedIncidentIds = /^[ma][1-9]\d{0,9}(?:,[ma][1-9]\d{0,9}){0,48}$/;
const incidentIdPattern = /^[ma][1-9]\d{0,9}$/;
const maxIds = 200;
const ids = z
  .string()
  .regex(/^[ma][1-9]\d{0,9}(?:,[ma][1-9]\d{0,9})*$/)
  .refine((text) => text.split(",").length <= maxIds, {
    message: "Too many entries (maximum {max})",
    params: { max: maxIds },
  })
  .transform((text) => [...new Set(text.split(","))])
  .meta({
    pattern: String.raw`^[ma][1-9]\d{0,9}(,[ma][1-9]\d{0,9}){0,${maxIds - 1}}$`,
    description: `Incident ids, separated by commas; at most ${maxIds}.`,
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
/** `unavailable`: producers that could not be reached; their incidents are missing and not counted in `total`. */
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

/** Duration of a snooze through a message's signed link. */
export const linkSnoozeMinutes = 60;
const token = z.string().min(1).max(1500);
const by = nameOf(100)
  .optional()
  .meta({ description: "Optional name, shown next to the name of the channel that received the link." });
/** Through a message's signed link. */
export const acknowledgeByLinkInput = z.strictObject({ token, note: acknowledgeInput.shape.note, by });
export const snoozeByLinkInput = z.strictObject({ token, by });
export const acknowledgeLinkQuery = z.strictObject({ token });
export const undoByLinkInput = z.strictObject({
  token,
  by: by.meta({ description: "The name that was sent with the action." }),
  action: z.enum(["acknowledge", "snooze"]),
});

/** Changes several incidents; those already in the requested state stay unchanged. */
export const incidentsBulkInput = z
  .strictObject({
    ids: z.array(z.string().regex(incidentIdPattern)).min(1).max(maxIds),
    action: z.enum(["acknowledge", "unacknowledge", "snooze", "unsnooze"]),
    ...snoozeEnd,
  })
  .refine(({ action, ...end }) => action !== "snooze" || hasOneEnd(end), noOneEnd)
  .refine(({ action, until, minutes }) => action === "snooze" || (until ?? minutes) === undefined, {
    path: ["action"],
    message: "Only a snooze can have an end time" satisfies Message,
  });
export const incidentsBulkAnswer = success({
  incidents: z.array(incident),
  failed: z.array(z.object({ id: z.string(), message: z.string() })),
});

/** A request to a provider and its outcome. */
export const attempt = z.object({
  at: instant,
  statusCode: z.int().optional(),
  answer: z.string().meta({ description: "The provider's response, or why sending failed." }),
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
  "escalated",
  "closed",
] as const;

/** An entry of an incident's timeline. */
export const timelineEntry = z.object({
  at: instant,
  type: z.enum(timelineTypes),
  text: z.string().meta({ description: "The entry as a sentence, in the requested language." }),
  channelId: z.int().optional(),
  channelName: z.string().optional(),
  deliveryId: z.int().optional(),
  status: z.string().optional(),
  kind: z.enum(alertKinds).optional(),
  reason: z.enum(suppressionReasons).optional(),
  heldUntil: instant
    .optional()
    .meta({ description: "When a deferred alert is decided again, if known; for a snooze, its end." }),
  detail: z.string().optional().meta({ description: "The provider's response, or why a check failed." }),
  attempts: z.array(attempt).optional().meta({ description: "For deliveries: the newest attempts." }),
});
export type TimelineEntry = z.infer<typeof timelineEntry>;

export const incidentAnswer = success({ incident });
export const incidentStoryAnswer = success({
  incident,
  timeline: z.array(timelineEntry),
  omitted: z.int().optional().meta({ description: "Number of entries omitted from the middle of a long timeline." }),
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
    .meta({ description: "Why each selected channel was or was not notified, one sentence per channel." }),
  notChosen: z
    .object({ count: z.int(), text: z.string() })
    .optional()
    .meta({ description: "The channels that are not selected, in one sentence." }),
  silencedUntil: instant
    .optional()
    .meta({ description: "A silence defers all messages of the target until then. Also set for closed incidents." }),
  recovery: goodChecks
    .optional()
    .meta({ description: "For an open incident whose monitor needs several successful checks in a row to be up." }),
  nextReminderAt: instant.optional(),
  reminderDeferredBy: z.enum(deferralReasons).optional().meta({
    description: "What defers the next reminder until `nextReminderAt`, or while a dependency has an incident.",
  }),
  escalation: escalation.optional().meta({ description: "Steps of the escalation policy, if one applies." }),
  evidence: evidence
    .optional()
    .meta({ description: "Evidence of the failed check closest to the opening, if it was kept." }),
  latestEvidence: evidence
    .optional()
    .meta({ description: "For open incidents: evidence of the newest failed check, if it is a different one." }),
  whatChanged: whatChanged.optional(),
  sharedCause: sharedCause.optional(),
  paths: z.array(tracedPath).optional().meta({ description: "For `icmp` and `tcp` checks that timed out." }),
  unavailable: z
    .array(z.enum(["checks", "notifications"]))
    .optional()
    .meta({ description: "Services that could not be reached; their entries are missing." }),
});
/** Expectations, and addresses, that a link shows. */
export const linkEvidenceLines = 4;
const linkedIncident = z.object({
  id: z.string(),
  targetName: z.string(),
  openedAt: instant,
  cause: z.string(),
  isOpen: z.boolean(),
  acknowledged: z.boolean(),
  acknowledgedBy: z.string().optional(),
});
/** What a link refers to. Reading it has no effect, because mail scanners follow links. */
export const acknowledgeLinkAnswer = success({
  incident: linkedIncident.extend({
    acknowledgers: z.array(z.string()).optional().meta({
      description: "Who acknowledged it, if its escalation policy needs several people.",
    }),
    needs: z.int().optional().meta({ description: "How many people must acknowledge it; absent: one." }),
    snoozedUntil: instant.optional(),
    runbook: z.string().optional().meta({ description: "The monitor's note, in Markdown." }),
    evidence: evidence
      .pick({ at: true, location: true, status: true, expected: true, addresses: true, certificate: true, steps: true })
      .optional()
      .meta({
        description: `Only from GET: the first lines of what the failed check found, at most ${linkEvidenceLines} expectations and addresses, without headers and body.`,
      }),
  }),
  others: z.array(linkedIncident).optional().meta({
    description: "The other incidents of a combined message. An action applies to all of them that are open.",
  }),
  by: z.string().meta({ description: "Author recorded for actions taken through the link: the name of its channel." }),
});
