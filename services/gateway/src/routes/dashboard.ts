import { dashboardAnswer, type DashboardPart, dashboardParts } from "@sonde/proto/http/dashboard";
import { readIncidents } from "../incidents/read.ts";
import { orNull } from "../or-null.ts";
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
    description:
      "A part that nobody can tell just now is null and named in `unavailable`. `recent` is named, yet holds what is known, while the incidents of monitors or of agents are missing.",
    answer: dashboardAnswer,
    handle: async ({ services, ask }) => {
      const [summary, agents, newest, uptimes] = await Promise.all([
        orNull(services.monitors.summary({}, ask)),
        orNull(services.agents.agentsSummary({}, ask)),
        orNull(readIncidents({ services, ask }, { page: 1, pageSize: recentIncidents, sort: "-openedAt" })),
        readUptimes(services, [], ask),
      ]);
      const parts = {
        monitors: summary && monitorCounts(summary),
        agents: agents && agentCounts(agents),
        uptime: uptimes && { h24: uptimes.get(0)?.h24 ?? null, d30: uptimes.get(0)?.d30 ?? null },
        incidents: summary && agents && summary.openIncidents + agents.openIncidents,
        recent: newest && newest.incidents.map(presentIncident),
      } satisfies Record<DashboardPart, unknown>;
      const isPartial = (part: DashboardPart) => part === "recent" && newest !== null && newest.away.length > 0;
      const unavailable = dashboardParts.filter((part) => parts[part] === null || isPartial(part));
      return { ...parts, unavailable: unavailable.length > 0 ? unavailable : undefined };
    },
  }),
];

type Counts<Name extends string> = Record<Name, number>;

const monitorCounts = ({
  total,
  up,
  down,
  stale,
  pending,
  paused,
}: Counts<"total" | "up" | "down" | "stale" | "pending" | "paused">) => ({
  total,
  active: total - paused,
  up,
  down,
  stale,
  pending,
  paused,
});

const agentCounts = ({
  total,
  online,
  connecting,
  offline,
}: Counts<"total" | "online" | "connecting" | "offline">) => ({
  total,
  online,
  connecting,
  offline,
});
