import { tenths } from "@sonde/kit/figures";
import { orNull } from "@sonde/kit/errors";
import {
  type AttentionMonitor,
  dashboardAnswer,
  type DashboardPart,
  dashboardParts,
  type SlowerMonitors,
  type WorstAgent,
} from "@sonde/proto/http/dashboard";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { type IncidentPage, type IncidentQuery, readIncidents } from "../incidents/read.ts";
import { maintenanceFields } from "../events/maintenance.ts";
import { readUptimes, uptimeOf, uptimeOfMonitor } from "../uptimes/read.ts";
import { p95Of, readTrends } from "../uptimes/trends.ts";
import { type HandlerBase, route } from "../route.ts";
import { timeouts } from "../services.ts";

/** Fixed limits keep the response cheap. */
const shown = { recent: 10, open: 100, ended: 5, attention: 10, agents: 5, certificateDays: 14, slower: 3 };

export const dashboardRoutes = [
  route("GET /api/dashboard", "session", {
    summary: "Get open problems, monitors that need attention, counts, and overall uptime",
    description:
      "Parts that are currently unavailable are null and listed in `unavailable`. `recent`, `open` and `ended` are listed but partially filled if the incidents of only monitors or only agents are missing.",
    answer: dashboardAnswer,
    handle: async (input) => {
      const { services, ask } = input;
      const incidents = (query: Omit<IncidentQuery, "page">) =>
        orNull(readIncidents(input, { page: 1, uncounted: true, ...query }));
      const monitors = orNull(
        services.monitors.summary({ attention: shown.attention, certificateDays: shown.certificateDays }, ask),
      );
      const [summary, attention, agents, recent, open, ended, uptimes, slower, shared] = await Promise.all([
        monitors,
        monitors.then((known) => known && readAttention(input, known.attention)),
        orNull(services.agents.agentsSummary({ worst: shown.agents }, ask)),
        incidents({ pageSize: shown.recent, sort: "-openedAt" }),
        incidents({ pageSize: shown.open, open: true }),
        incidents({ pageSize: shown.ended, open: false, sort: "-closedAt" }),
        readUptimes(services, [], ask),
        orNull(readSlower(input)),
        orNull(services.monitors.listSharedCauses({}, { ...ask, timeoutMs: timeouts.optionalMs })),
      ]);
      const parts = {
        monitors: summary && summary.counts,
        agents: agents && {
          total: agents.total,
          online: agents.online,
          connecting: agents.connecting,
          offline: agents.offline,
        },
        uptime: uptimes && uptimeOf(uptimes, 0),
        incidents: summary && agents && summary.openIncidents + agents.openIncidents,
        recent: recent && recent.incidents,
        open: open && open.incidents,
        ended: ended && ended.incidents,
        attention,
        certificates: summary && summary.certificates,
        slower,
        worstAgents: agents && agents.worst.map((agent) => worstAgentOf(input, agent)),
      } satisfies Record<DashboardPart, unknown>;
      const pages: Partial<Record<DashboardPart, IncidentPage | null>> = { recent, open, ended };
      const isMissing = (part: DashboardPart) => parts[part] === null || pages[part]?.unavailable !== undefined;
      const unavailable = dashboardParts.filter(isMissing);
      const sourceProblems =
        summary === null || summary.sourceProblems.length === 0 ? undefined : summary.sourceProblems;
      const sharedCauses = shared === null || shared.causes.length === 0 ? undefined : shared.causes;
      return { ...parts, sharedCauses, sourceProblems, unavailable: unavailable.length > 0 ? unavailable : undefined };
    },
  }),
];

async function readAttention(
  { services, ask, ...known }: Pick<HandlerBase, "services" | "ask" | "maintenance" | "clock">,
  monitors: readonly KnownMonitor[],
): Promise<AttentionMonitor[]> {
  if (monitors.length === 0) return [];
  const monitorIds = monitors.map(({ id }) => id);
  const beside = { ...ask, timeoutMs: timeouts.optionalMs };
  const [uptimes, recent, times] = await Promise.all([
    readUptimes(services, monitorIds, ask),
    orNull(services.metrics.monitorRecentChecks({ monitorIds }, beside)),
    orNull(services.metrics.monitorResponseTimes({ monitorIds }, beside)),
  ]);
  const recentOf = new Map(recent?.monitors.map(({ monitorId, recentChecks }) => [monitorId, recentChecks]));
  const p95Of = new Map(times?.monitors.map(({ monitorId, p95Ms }) => [monitorId, tenths(p95Ms)]));
  return monitors.map((monitor) => ({
    id: monitor.id,
    name: monitor.name,
    type: monitor.type,
    target: monitor.target,
    status: monitor.status,
    statusSince: monitor.statusSince,
    stale: monitor.stale,
    flapping: monitor.flapping,
    ...(monitor.type === "group" && { state: monitor.state }),
    slow: monitor.slow,
    slowAfter: monitor.slowAfter,
    ...maintenanceFields(known, "monitor", monitor.id),
    responseTime: monitor.responseTime,
    lastCheckedAt: monitor.lastCheckedAt,
    lastError: monitor.lastError,
    uptime: uptimeOfMonitor(uptimes, monitor),
    p95: p95Of.get(monitor.id) ?? null,
    recentChecks: recent === null ? null : (recentOf.get(monitor.id) ?? []),
  }));
}

/** @throws AppError `unavailable` */
async function readSlower({ services, ask }: Pick<HandlerBase, "services" | "ask">): Promise<SlowerMonitors> {
  const beside = { ...ask, timeoutMs: timeouts.optionalMs };
  const { monitorIds: slower } = await services.metrics.slowerMonitors({}, beside);
  if (slower.length === 0) return { total: 0, worst: [] };
  const query = { ids: slower, slower, pageSize: shown.slower, compact: true };
  const { monitors, total } = await services.monitors.listMonitors(query, ask);
  const ids = monitors.map(({ id }) => id);
  const trends = await readTrends(services, ids, ask);
  const worst = monitors.flatMap((monitor) => {
    const p95 = p95Of(trends, monitor);
    return p95 === undefined ? [] : [{ monitorId: monitor.id, name: monitor.name, p95 }];
  });
  return { total, worst };
}

function worstAgentOf(
  known: Pick<HandlerBase, "maintenance" | "clock">,
  { id, name, status, lastSeen, latest }: KnownAgent,
): WorstAgent {
  const disks = latest?.disks?.map(({ usage }) => usage) ?? [];
  return {
    id,
    name,
    status,
    ...maintenanceFields(known, "agent", id),
    lastSeen,
    cpu: latest?.cpu?.usage ?? null,
    memory: latest?.memory?.usage ?? null,
    disk: disks.length === 0 ? null : Math.max(...disks),
  };
}
