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

export const publicDay = z.object({
  date: z.iso.date(),
  uptime: z
    .number()
    .nullable()
    .meta({ description: "Percent of the completed checks that succeeded; null without completed checks." }),
  coverage: z.number().nullable().meta({
    description:
      "Percent of the due checks that were completed; null if none were due (paused, in maintenance, not created yet).",
  }),
  maintenanceMinutes: z.int().optional(),
  pausedMinutes: z.int().optional(),
  incidents: z.int().optional().meta({ description: "Number of public incidents on that day." }),
});
export type PublicDay = z.infer<typeof publicDay>;

const percent = z.number().nullable();
const common = {
  id: z.int(),
  name: z.string(),
  since: instant.optional().meta({ description: "Start of the current status." }),
  uptime: percent.meta({ description: "Percent over all days shown; null without completed checks." }),
  coverage: percent,
  days: z.array(publicDay),
};
export const publicMonitor = z.object({
  ...common,
  members: z.array(z.int()).optional().meta({ description: "For groups: the IDs of its members that the page shows." }),
  status: z.enum(publicMonitorStates),
  responseTime: z
    .number()
    .optional()
    .meta({ description: "Milliseconds; absent if the page does not show response times." }),
  responseTimes: z
    .array(z.number().nullable())
    .optional()
    .meta({ description: "Averages over the last 24 hours, oldest first." }),
  uptime24h: z.number().optional().meta({ description: "Percent over the last 24 hours." }),
  uptime30d: z.number().optional().meta({ description: "Percent over the last 30 days." }),
});
export type PublicMonitor = z.infer<typeof publicMonitor>;
export const publicAgent = z.object({ ...common, status: z.enum(publicAgentStates) });
export type PublicAgent = z.infer<typeof publicAgent>;

const targetRef = z.object({ type: z.enum(targetTypes), id: z.int() });

const publicUpdate = z.object({
  at: instant,
  state: z.enum(updateStates),
  text: z.string().meta({ description: "Markdown." }),
  html: z.string().meta({ description: "The text rendered as sanitised HTML." }),
});
export type PublicUpdate = z.infer<typeof publicUpdate>;

/** Id of a public incident: `p…` for announcements; `m…` and `a…` for automatic ones. */
const publicIncidentId = z.string().regex(/^[pma][1-9]\d{0,9}$/);

export const publicIncident = z.object({
  id: publicIncidentId,
  title: z.string().optional().meta({ description: "Set for announcements." }),
  kind: z.enum(["announced", "down", "offline", "slow"]),
  impact: z.enum(impacts).optional(),
  state: z.enum(updateStates).optional().meta({ description: "State of the newest update." }),
  targets: z.array(targetShape).meta({ description: "Affected targets that the page shows." }),
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
  // Optional because snapshots of the previous version lack both.
  createdAt: instant.optional(),
  updatedAt: instant.optional().meta({ description: "When the window or its text last changed." }),
});
export type PublicMaintenance = z.infer<typeof publicMaintenance>;

export const publicGroup = z.object({
  name: z.string().nullable().meta({ description: "Null for the services of one kind that are in no group." }),
  targets: z.array(targetRef),
});
export type PublicGroup = z.infer<typeof publicGroup>;

export const publicStatus = z.object({
  title: z.string(),
  description: z.string(),
  logoUrl: z.string().optional(),
  theme: z.object({ mode: z.enum(themeModes), accent: z.string() }),
  state: z.enum(overallStates),
  updatedAt: instant.nullable().meta({ description: "Time of the data; null if there is none yet." }),
  outdated: z
    .boolean()
    .meta({ description: "True if no data arrived for three minutes, so the page may be out of date." }),
  groups: z.array(publicGroup),
  monitors: z.array(publicMonitor),
  agents: z.array(publicAgent),
  incidents: z
    .array(publicIncident)
    .meta({ description: "Open incidents first, then the newest; at most 100 from 90 days." }),
  maintenance: z
    .array(publicMaintenance)
    .meta({ description: "In progress, then upcoming (31 days), then past (14 days)." }),
});
export type PublicStatus = z.infer<typeof publicStatus>;
export const publicStatusAnswer = success({ status: publicStatus });

export const badgeKinds = ["status", "uptime", "response"] as const;
export type BadgeKind = (typeof badgeKinds)[number];

// Events of `GET /api/status/events`.
/** `event: monitor`, `event: agent`: a changed status. */
export type StateEvent = { id: number; status: PublicState; since: string };
/** `event: status`: the overall state changed or was confirmed. */
export type OverallEvent = {
  state: OverallState;
  ill: number;
  total: number;
  updatedAt: string | null;
  outdated: boolean;
};
/** `event: changed`: incidents, maintenance, services or settings changed; fetch the page again. */
export type ChangedEvent = Record<string, never>;
