import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Delivering } from "./delivering.ts";
import { listDeliveries } from "./list.ts";
import { channelTester } from "./test.ts";

type Methods = "listDeliveries" | "testChannel";

/** What became of alerts, and one more of them to try a channel. */
export const deliveryEndpoints = (deps: Delivering): Pick<Handlers<typeof NotificationsService>, Methods> => ({
  listDeliveries: (request) => orUnavailable(() => listDeliveries(deps, request)),
  testChannel: channelTester(deps),
});
