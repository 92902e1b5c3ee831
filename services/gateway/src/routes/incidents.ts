import { incidentsAnswer, incidentsQuery, monitorIncidentsQuery } from "@sonde/proto/http/incidents";
import { type IncidentPage, readIncidents } from "../incidents/read.ts";
import { presentIncident } from "../presenters/incident.ts";
import { route } from "../route.ts";
import { isId } from "../validate.ts";

const present = ({ incidents, total, away }: IncidentPage) => ({
  incidents: incidents.map(presentIncident),
  total,
  ...(away.length > 0 ? { unavailable: away } : {}),
});

export const incidentRoutes = [
  route({
    method: "GET",
    path: "/api/incidents",
    who: "session",
    summary: "List incidents, open ones first, then the newest",
    query: incidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ services, query: { target: wanted, open, ...query }, ask }) => {
      const target = wanted === undefined ? undefined : targetOf(wanted);
      if (target !== undefined && !isId(target.id)) return { incidents: [], total: 0 };
      const isOpen = open === undefined ? undefined : open === "true";
      return present(await readIncidents({ services, ask }, { ...query, target, open: isOpen }));
    },
  }),
  route({
    method: "GET",
    path: "/api/monitors/:id/incidents",
    who: "session",
    summary: "A monitor's incidents, open ones first, then the newest",
    params: { id: "Monitor does not exist" },
    query: monitorIncidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ services, params: { id }, query, ask }) => {
      const [, page] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        readIncidents({ services, ask }, { ...query, target: { type: "monitor", id } }),
      ]);
      return present(page);
    },
  }),
];

function targetOf(text: string): { type: "monitor" | "agent"; id: number } {
  const [type, id] = text.split(":");
  return { type: type === "agent" ? "agent" : "monitor", id: Number(id) };
}
