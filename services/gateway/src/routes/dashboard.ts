import { dashboardAnswer, type DashboardPart, dashboardParts } from "@sonde/proto/http/dashboard";
import { readAttention } from "../dashboard/attention.ts";
import {
  presentAgentCounts,
  presentCertificates,
  presentMonitorCounts,
  presentWorstAgent,
} from "../dashboard/present.ts";
import { type IncidentPage, type IncidentQuery, readIncidents } from "../incidents/read.ts";
import { inMaintenance } from "../maintenance/present.ts";
import { orNull } from "../or-null.ts";
import { presentIncident } from "../presenters/incident.ts";
import { route } from "../route.ts";
import { readUptimes } from "../uptimes.ts";

/** How many of each the page shows: the same however many there are, so that the answer stays cheap. */
const shown = { recent: 10, open: 20, ended: 5, attention: 10, agents: 5, certificateDays: 14 };

export const dashboardRoutes = [
  route({
    method: "GET",
    path: "/api/dashboard",
    who: "session",
    summary: "What is wrong now, what needs attention, counts, and uptime over all monitors",
    description:
      "A part that nobody can tell just now is null and named in `unavailable`. `recent`, `open` and `ended` are named, yet hold what is known, while the incidents of monitors or of agents are missing.",
    answer: dashboardAnswer,
    handle: async (input) => {
      const { services, ask } = input;
      const incidents = (query: Omit<IncidentQuery, "page">) =>
        orNull(readIncidents(input, { page: 1, uncounted: true, ...query }));
      const monitors = orNull(
        services.monitors.summary({ attention: shown.attention, certificateDays: shown.certificateDays }, ask),
      );
      const [summary, attention, agents, recent, open, ended, uptimes] = await Promise.all([
        monitors,
        monitors.then((known) => known && readAttention(input, known.attention)),
        orNull(services.agents.agentsSummary({ worst: shown.agents }, ask)),
        incidents({ pageSize: shown.recent, sort: "-openedAt" }),
        incidents({ pageSize: shown.open, open: true }),
        incidents({ pageSize: shown.ended, open: false, sort: "-closedAt" }),
        readUptimes(services, [], ask),
      ]);
      const parts = {
        monitors: summary && presentMonitorCounts(summary),
        agents: agents && presentAgentCounts(agents),
        uptime: uptimes && { h24: uptimes.get(0)?.h24 ?? null, d30: uptimes.get(0)?.d30 ?? null },
        incidents: summary && agents && summary.openIncidents + agents.openIncidents,
        recent: presentPage(recent),
        open: presentPage(open),
        ended: presentPage(ended),
        attention,
        certificates: summary && presentCertificates(summary.certificateTotal, summary.certificates),
        worstAgents:
          agents && agents.worst.map((agent) => presentWorstAgent(agent, inMaintenance(input, "agent", agent.id))),
      } satisfies Record<DashboardPart, unknown>;
      const pages: Partial<Record<DashboardPart, IncidentPage | null>> = { recent, open, ended };
      const isMissing = (part: DashboardPart) => parts[part] === null || (pages[part]?.away.length ?? 0) > 0;
      const unavailable = dashboardParts.filter(isMissing);
      return { ...parts, unavailable: unavailable.length > 0 ? unavailable : undefined };
    },
  }),
];

const presentPage = (page: IncidentPage | null) => page && page.incidents.map(presentIncident);
