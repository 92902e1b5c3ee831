import { z } from "zod";
import { success } from "./envelope.ts";
import { incident } from "./incidents.ts";

/** `uptime` in percent over all monitors, null without data; `incidents` open now; `recent` newest first. */
export const dashboardAnswer = success({
  monitors: z.object({
    total: z.int(),
    active: z.int(),
    up: z.int(),
    down: z.int(),
    pending: z.int(),
    paused: z.int(),
  }),
  agents: z.object({ total: z.int(), online: z.int(), connecting: z.int(), offline: z.int() }),
  uptime: z.object({ h24: z.number().nullable(), d30: z.number().nullable() }),
  incidents: z.int(),
  recent: z.array(incident),
});
export type DashboardAnswer = z.infer<typeof dashboardAnswer>;
