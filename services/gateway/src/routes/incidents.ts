import { orNull } from "@sonde/kit/errors";
import { readTimeline } from "@sonde/kit/incident-timeline";
import {
  acknowledgeInput,
  incidentAnswer,
  incidentId,
  incidentsAnswer,
  incidentsQuery,
  incidentStoryAnswer,
  monitorIncidentsQuery,
} from "@sonde/proto/http/incidents/incidents";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import { acknowledgeIncident, readIncidents } from "../incidents/read.ts";
import { route } from "../route.ts";
import { isId } from "../validate.ts";

const params = { id: { missing: "Incident does not exist", schema: incidentId } } as const;
const isTrue = (text: "true" | "false" | undefined) => (text === undefined ? undefined : text === "true");

export const incidentRoutes = [
  route({
    method: "GET",
    path: "/api/incidents",
    who: "session",
    summary: "List incidents, open ones first, then the newest",
    query: incidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ services, query: { target: wanted, open, acknowledged, ...query }, ask }) => {
      const target = wanted === undefined ? undefined : readTarget(wanted);
      if (target !== undefined && !isId(target.id)) return { incidents: [], total: 0 };
      const filter = { ...query, target, open: isTrue(open), acknowledged: isTrue(acknowledged) };
      return readIncidents({ services, ask }, filter);
    },
  }),
  route({
    method: "GET",
    path: "/api/incidents/:id",
    who: "session",
    summary: "An incident with its timeline in words, and why each channel was, or was not, told",
    description:
      "The text of each entry is in the language that was asked for. A part that is away is named in `unavailable`; its entries are missing.",
    params,
    answer: incidentStoryAnswer,
    handle: async ({ services, params: { id }, ctx, ask }) => {
      const input = { id, language: ctx.state.language };
      const story = await orNull(services.notifications.incidentStory(input, ask));
      if (story !== null) return story;
      const own = await readTimeline(services, input, ask);
      return { ...own, channels: [], unavailable: [...own.unavailable, "notifications" as const] };
    },
  }),
  route({
    method: "POST",
    path: "/api/incidents/:id/acknowledge",
    who: "write",
    summary: "Say that somebody works on an incident, which stops its reminders",
    params,
    body: acknowledgeInput,
    answer: incidentAnswer,
    handle: async ({ params: { id }, body: { note }, ...input }) => {
      return { message: "Incident acknowledged", incident: await acknowledgeIncident(input, { id, note }) };
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
      return page;
    },
  }),
];
