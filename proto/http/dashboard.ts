import * as z from "zod";
import { agentStatuses } from "./agents/agents.ts";
import { sourceProblem } from "./config/apply.ts";
import { id, instant, success } from "./envelope.ts";
import { sharedCause } from "./incidents/explanation.ts";
import { incident } from "./incidents/incidents.ts";
import { groupStates } from "./monitors/groups.ts";
import { checkTypes } from "./monitors/kinds.ts";
import { monitorStatuses, p95 } from "./monitors/monitors.ts";
import { recentCheck } from "./monitors/recent-checks.ts";

export const monitorCounts = z.object({
  total: z.int(),
  active: z.int(),
  up: z.int(),
  down: z.int(),
  slow: z.int().default(0).meta({ description: "Those of `up` that are slow." }),
  stale: z.int(),
  pending: z.int(),
  paused: z.int(),
});
export const agentCounts = z.object({ total: z.int(), online: z.int(), connecting: z.int(), offline: z.int() });

/** A monitor on the dashboard. Figures from `metrics` are `null` while it is unavailable. */
const attentionMonitor = z.object({
  id,
  name: z.string(),
  type: z.enum(checkTypes),
  target: z.string(),
  status: z.enum(monitorStatuses),
  statusSince: instant,
  stale: z.boolean(),
  flapping: z.boolean(),
  state: z.enum(groupStates).optional().meta({ description: "Only for groups." }),
  slow: z.boolean(),
  slowAfter: z.int().optional(),
  inMaintenance: z.literal(true).optional(),
  silencedUntil: instant.optional(),
  responseTime: z.number().nullable(),
  lastCheckedAt: instant.nullable(),
  lastError: z.string().optional(),
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }),
  p95: z.number().nullable().meta({ description: "Milliseconds over the last 24 hours; null without data." }),
  recentChecks: z.array(recentCheck).nullable().meta({ description: "Newest slots, oldest first." }),
});

export const endingCertificates = z.object({
  total: z.int().meta({ description: "Number of monitors whose certificate has expired or expires within 14 days." }),
  soonest: z
    .array(z.object({ monitorId: id, name: z.string(), expiresAt: instant }))
    .meta({ description: "The certificate that expires first." }),
});

const slowerMonitors = z.object({
  total: z.int().meta({ description: "Number of monitors that became slower." }),
  worst: z
    .array(z.object({ monitorId: id, name: z.string(), p95 }))
    .meta({ description: "The 3 with the largest change." }),
});

const percent = z.number().nullable();
/** An agent on the dashboard. Usage in percent, the fullest disk; `null` if not reported. */
const worstAgent = z.object({
  id,
  name: z.string(),
  status: z.enum(agentStatuses),
  inMaintenance: z.literal(true).optional(),
  silencedUntil: instant.optional(),
  lastSeen: instant.nullable(),
  cpu: percent,
  memory: percent,
  disk: percent,
});

export const dashboardParts = [
  "monitors",
  "agents",
  "uptime",
  "incidents",
  "recent",
  "open",
  "ended",
  "attention",
  "certificates",
  "slower",
  "worstAgents",
] as const;
export type DashboardPart = (typeof dashboardParts)[number];

/**
 * `stale` monitors missed three slots and are not counted as up, down or pending: total = up + down + stale + pending +
 * paused. `uptime` is the percentage over all monitors, `null` without data; `incidents` counts open ones; `recent` is
 * newest first. An unavailable part is `null` and listed in `unavailable`. If one of two services is unavailable,
 * `incidents` is `null`, and `recent`, `open` and `ended` are listed there but contain the other's part.
 */
export const dashboardAnswer = success({
  monitors: monitorCounts.nullable(),
  agents: agentCounts.nullable(),
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }).nullable(),
  incidents: z.int().nullable(),
  recent: z.array(incident).nullable(),
  open: z.array(incident).nullable().meta({ description: "The newest 100 open incidents." }),
  ended: z.array(incident).nullable().meta({ description: "The 5 most recently closed incidents." }),
  attention: z.array(attentionMonitor).nullable().meta({
    description:
      "The 10 active monitors in the worst state (down, stale, flapping, slow, pending, up); within a state, the newest change first.",
  }),
  certificates: endingCertificates.nullable(),
  slower: slowerMonitors.nullable(),
  worstAgents: z.array(worstAgent).nullable().meta({
    description: "5 agents: offline ones first, then those with the highest CPU, memory or disk usage.",
  }),
  sharedCauses: z
    .array(sharedCause)
    .optional()
    .meta({ description: "Causes shared by open incidents that began together; absent if there are none." }),
  sourceProblems: z
    .array(sourceProblem)
    .optional()
    .meta({ description: "Mounted folders whose files were not applied, with the reason; absent if there are none." }),
  unavailable: z.array(z.enum(dashboardParts)).optional(),
});
export type DashboardAnswer = z.infer<typeof dashboardAnswer>;
export type MonitorCounts = z.infer<typeof monitorCounts>;
export type AgentCounts = z.infer<typeof agentCounts>;
export type AttentionMonitor = z.infer<typeof attentionMonitor>;
export type SlowerMonitors = z.infer<typeof slowerMonitors>;
export type EndingCertificates = z.infer<typeof endingCertificates>;
export type WorstAgent = z.infer<typeof worstAgent>;
