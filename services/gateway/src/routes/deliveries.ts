import { deliveriesAnswer, deliveriesQuery } from "@sonde/proto/http/notifications/deliveries";
import { route } from "../route.ts";

export const deliveryRoutes = [
  route({
    method: "GET",
    path: "/api/notifications/deliveries",
    who: "session",
    summary: "List deliveries with their attempts, newest first; `target` is `monitor:12` or `agent:3`",
    query: deliveriesQuery,
    answer: deliveriesAnswer,
    handle: ({ services, query, ask }) => services.notifications.listDeliveries(query, ask),
  }),
];
