import * as z from "zod";
import { instant, success } from "../envelope.ts";
import { themeModes } from "./config.ts";
import {
  impacts,
  type OverallState,
  overallStates,
  publicAgentStates,
  publicMonitorStates,
  type PublicState,
  updateStates,
} from "./states.ts";
import { targetShape, targetTypes } from "../monitors/targets.ts";

export * from "./states.ts";

/** One UTC day of one service. */
export const publicDay = z.object({
  date: z.iso.date(),
  uptime: z.number().nullable().meta({ description: "Percent of what was seen; null: nothing was." }),
  coverage: z.number().nullable().meta({
    description:
      "Percent of what was due that was seen; null: nothing was due (paused, in maintenance, not there yet).",
  }),
  maintenanceMinutes: z.int().optional(),
  pausedMinutes: z.int().optional(),
  incidents: z.int().optional().meta({ description: "How many public incidents touched it." }),
});
export type PublicDay = z.infer<typeof publicDay>;

const percent = z.number().nullable();
const common = {
  id: z.int(),
  name: z.string(),
  since: instant.optional().meta({ description: "Since when it has this status." }),
  uptime: percent.meta({ description: "Percent over all days that are shown; null: nothing was seen." }),
  coverage: percent,
  days: z.array(publicDay),
};
export const publicMonitor = z.object({
  ...common,
  status: z.enum(publicMonitorStates),
  responseTime: z.number().optional().meta({ description: "Milliseconds; absent where the page does not show it." }),
  responseTimes: z
    .array(z.number().nullable())
    .optional()
    .meta({ description: "Means of the last 24 hours, oldest first." }),
});
export type PublicMonitor = z.infer<typeof publicMonitor>;
export const publicAgent = z.object({ ...common, status: z.enum(publicAgentStates) });
export type PublicAgent = z.infer<typeof publicAgent>;

const targetRef = z.object({ type: z.enum(targetTypes), id: z.int() });

const publicUpdate = z.object({
  at: instant,
  state: z.enum(updateStates),
  text: z.string().meta({ description: "Markdown." }),
  html: z.string().meta({ description: "The same, rendered and safe." }),
});
export type PublicUpdate = z.infer<typeof publicUpdate>;

/** The id of a public incident: `p…` is an announcement; `m…` and `a…` are automatic. */
const publicIncidentId = z.string().regex(/^[pma][1-9]\d{0,9}$/);

export const publicIncident = z.object({
  id: publicIncidentId,
  title: z.string().optional().meta({ description: "Of an announcement." }),
  kind: z.enum(["announced", "down", "offline"]),
  impact: z.enum(impacts).optional(),
  state: z.enum(updateStates).optional().meta({ description: "What its newest update says." }),
  targets: z.array(targetShape).meta({ description: "Those that the page shows." }),
  openedAt: instant,
  closedAt: instant.optional(),
  updates: z.array(publicUpdate).meta({ description: "Newest first." }),
  postMortem: z.object({ text: z.string(), html: z.string() }).optional(),
});
export type PublicIncident = z.infer<typeof publicIncident>;

export const publicMaintenance = z.object({
  id: z.int(),
  name: z.string(),
  note: z.object({ text: z.string(), html: z.string() }).optional(),
  status: z.enum(["scheduled", "running", "ended"]),
  start: instant,
  end: instant,
  timeZone: z.string(),
  targets: z.array(targetShape),
  // Optional since a snapshot of the version before lacks both.
  createdAt: instant.optional(),
  updatedAt: instant.optional().meta({ description: "When its plan or its words were changed last." }),
});
export type PublicMaintenance = z.infer<typeof publicMaintenance>;

export const publicGroup = z.object({
  name: z.string().nullable().meta({ description: "Null: all that is in no group, of one kind." }),
  targets: z.array(targetRef),
});
export type PublicGroup = z.infer<typeof publicGroup>;

export const publicStatus = z.object({
  title: z.string(),
  description: z.string(),
  logoUrl: z.string().optional(),
  theme: z.object({ mode: z.enum(themeModes), accent: z.string() }),
  state: z.enum(overallStates),
  updatedAt: instant.nullable().meta({ description: "When this was known to be so; null: never yet." }),
  outdated: z.boolean().meta({ description: "Nothing was heard for three minutes: it may not be so any more." }),
  groups: z.array(publicGroup),
  monitors: z.array(publicMonitor),
  agents: z.array(publicAgent),
  incidents: z
    .array(publicIncident)
    .meta({ description: "Open ones first, then the newest; of 90 days, at most 100." }),
  maintenance: z.array(publicMaintenance).meta({ description: "Running, then ahead (31 days), then past (14 days)." }),
});
export type PublicStatus = z.infer<typeof publicStatus>;
export const publicStatusAnswer = success({ status: publicStatus });

export const badgeKinds = ["status", "uptime", "response"] as const;
export type BadgeKind = (typeof badgeKinds)[number];

// What a stream of `GET /api/status/events` brings.
/** `event: monitor`, `event: agent`: one has another status. */
export type StateEvent = { id: number; status: PublicState; since: string };
/** `event: status`: the whole has another state, or was found to be current still. */
export type OverallEvent = {
  state: OverallState;
  ill: number;
  total: number;
  updatedAt: string | null;
  outdated: boolean;
};
/** `event: changed`: incidents, maintenance, services or settings changed: the page is to be fetched again. */
export type ChangedEvent = Record<string, never>;
