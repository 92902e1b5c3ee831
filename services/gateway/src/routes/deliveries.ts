import { deliveriesAnswer, deliveriesQuery } from "@sonde/proto/http/deliveries";
import { readTarget } from "@sonde/proto/http/targets";
import { presentDelivery } from "../presenters/delivery.ts";
import { route } from "../route.ts";
import { isId } from "../validate.ts";

export const deliveryRoutes = [
  route({
    method: "GET",
    path: "/api/notifications/deliveries",
    who: "session",
    summary: "List deliveries with their attempts, newest first; `target` is `monitor:12` or `agent:3`",
    query: deliveriesQuery,
    answer: deliveriesAnswer,
    handle: async ({ services, query: { channel: channelId, target: wanted, ...query }, ask }) => {
      const target = wanted === undefined ? undefined : readTarget(wanted);
      if (target !== undefined && !isId(target.id)) return { deliveries: [], total: 0 };
      const request = { ...query, channelId, target };
      const { deliveries, total } = await services.notifications.listDeliveries(request, ask);
      return { deliveries: deliveries.map(presentDelivery), total };
    },
  }),
];
