import { incidentsAnswer, incidentsQuery, monitorIncidentsQuery } from "@sonde/proto/http/incidents";
import { readIncidents } from "../incidents/read.ts";
import { presentIncident } from "../presenters/incident.ts";
import { route } from "../route.ts";
import { isId } from "../validate.ts";

export const incidentRoutes = [
  route({
    method: "GET",
    path: "/api/incidents",
    who: "session",
    summary: "List incidents, newest first",
    query: incidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ services, query: { target, open, ...list }, ask }) => {
      const wanted = { ...list, ...(open === undefined ? {} : { open: open === "true" }) };
      const [type, text] = target?.split(":") ?? [];
      const id = Number(text);
      if (type !== undefined && !isId(id)) return { incidents: [], total: 0 };
      if (type === undefined) {
        const { incidents, total, away } = await readIncidents({ services, ask }, wanted);
        const missing = away.length > 0 ? { unavailable: away } : {};
        return { incidents: incidents.map(presentIncident), total, ...missing };
      }
      const { incidents, total } =
        type === "monitor"
          ? await services.monitors.listIncidents({ ...wanted, monitorId: id }, ask)
          : await services.agents.listAgentIncidents({ ...wanted, agentId: id }, ask);
      return { incidents: incidents.map(presentIncident), total };
    },
  }),
  route({
    method: "GET",
    path: "/api/monitors/:id/incidents",
    who: "session",
    summary: "A monitor's incidents, newest first",
    params: { id: "Monitor does not exist" },
    query: monitorIncidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ services, params: { id }, query, ask }) => {
      const [, { incidents, total }] = await Promise.all([
        services.monitors.getMonitor({ id }, ask),
        services.monitors.listIncidents({ ...query, monitorId: id }, ask),
      ]);
      return { incidents: incidents.map(presentIncident), total };
    },
  }),
];
