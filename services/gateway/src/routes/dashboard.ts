import { dashboardAnswer } from "@sonde/proto/http/dashboard";
import { readIncidents } from "../incidents/read.ts";
import { presentIncident } from "../presenters/incident.ts";
import { route } from "../route.ts";
import { readUptimes } from "../uptimes.ts";

const recentIncidents = 10;

export const dashboardRoutes = [
  route({
    method: "GET",
    path: "/api/dashboard",
    who: "session",
    summary: "Counts, uptime over all monitors, and the newest incidents",
    answer: dashboardAnswer,
    handle: async ({ services, ask }) => {
      const [summary, agents, { incidents }, uptimes] = await Promise.all([
        services.monitors.summary({}, ask),
        services.agents.agentsSummary({}, ask),
        readIncidents({ services, ask }, { page: 1, pageSize: recentIncidents }),
        readUptimes(services, [], ask),
      ]);
      const { total, up, down, pending, paused } = summary;
      const all = uptimes.get(0);
      const { online, connecting, offline } = agents;
      return {
        monitors: { total, active: total - paused, up, down, pending, paused },
        agents: { total: agents.total, online, connecting, offline },
        uptime: { h24: all?.h24 ?? null, d30: all?.d30 ?? null },
        incidents: summary.openIncidents + agents.openIncidents,
        recent: incidents.map(presentIncident),
      };
    },
  }),
];
