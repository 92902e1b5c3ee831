import { recentChecksAnswer, recentChecksQuery } from "@sonde/proto/http/monitors/recent-checks";
import { route } from "../route.ts";
import { isId } from "../validate.ts";

export const recentCheckRoutes = [
  route({
    method: "GET",
    path: "/api/monitors/recent-checks",
    who: "session",
    summary: "The newest slots of many monitors, for a bar beside each name",
    query: recentChecksQuery,
    answer: recentChecksAnswer,
    handle: async ({ services, query: { ids }, ask }) => {
      const { monitors } = await services.metrics.monitorRecentChecks({ monitorIds: ids.filter(isId) }, ask);
      const found = new Map(monitors.map(({ monitorId, recentChecks }) => [monitorId, recentChecks]));
      return { recentChecks: Object.fromEntries(ids.map((id) => [id, found.get(id) ?? []])) };
    },
  }),
];
