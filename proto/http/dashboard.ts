import { z } from "zod";
import { success } from "./envelope.ts";
import { incident } from "./incidents.ts";

const counts = z.object({
  total: z.int(),
  active: z.int(),
  up: z.int(),
  down: z.int(),
  stale: z.int(),
  pending: z.int(),
  paused: z.int(),
});
const agents = z.object({ total: z.int(), online: z.int(), connecting: z.int(), offline: z.int() });
export const dashboardParts = ["monitors", "agents", "uptime", "incidents", "recent"] as const;
export type DashboardPart = (typeof dashboardParts)[number];

/**
 * `stale` monitors missed three slots and are counted neither up, down nor pending: total = up + down + stale + pending +
 * paused. `uptime` in percent over all monitors, null without data; `incidents` open now; `recent` newest first. A part that
 * nobody can tell just now is null and named in `unavailable`; while one service of two is away, `incidents` is null,
 * and `recent` is named there too, yet holds what the other knows.
 */
export const dashboardAnswer = success({
  monitors: counts.nullable(),
  agents: agents.nullable(),
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }).nullable(),
  incidents: z.int().nullable(),
  recent: z.array(incident).nullable(),
  unavailable: z.array(z.enum(dashboardParts)).optional(),
});
export type DashboardAnswer = z.infer<typeof dashboardAnswer>;
export type MonitorCounts = z.infer<typeof counts>;
export type AgentCounts = z.infer<typeof agents>;
