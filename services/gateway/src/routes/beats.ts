import { beatsAnswer, beatsQuery } from "@sonde/proto/http/beats";
import { presentBeat } from "../presenters/beat.ts";
import { route } from "../route.ts";
import { isId } from "../validate.ts";

export const beatRoutes = [
  route({
    method: "GET",
    path: "/api/monitors/beats",
    who: "session",
    summary: "The newest slots of many monitors, for a bar beside each name",
    query: beatsQuery,
    answer: beatsAnswer,
    handle: async ({ services, query: { ids }, ask }) => {
      const { monitors } = await services.metrics.monitorBeats({ monitorIds: ids.filter(isId) }, ask);
      const found = new Map(monitors.map(({ monitorId, beats }) => [monitorId, beats.map(presentBeat)]));
      return { beats: Object.fromEntries(ids.map((id) => [id, found.get(id) ?? []])) };
    },
  }),
];
