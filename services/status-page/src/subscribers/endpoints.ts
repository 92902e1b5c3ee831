import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { StatusPageService } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import { confirmSubscription, unsubscribe } from "./confirm.ts";
import { deleteSubscriber, listSubscribers } from "./manage.ts";
import { subscribe } from "./subscribe.ts";
import { presentSubscriber } from "./subscriber.ts";

type Methods = "listSubscribers" | "deleteSubscriber" | "subscribe" | "confirmSubscription" | "unsubscribe";

const nothing = () => ({});

/** The endpoints of subscribers. */
export const subscriberEndpoints = (ctx: Context): Pick<Handlers<typeof StatusPageService>, Methods> => ({
  listSubscribers: (request) =>
    orUnavailable(async () => {
      const { subscribers, total } = await listSubscribers(ctx, request);
      return { subscribers: subscribers.map(presentSubscriber), total };
    }),
  deleteSubscriber: ({ id }) => orUnavailable(() => deleteSubscriber(ctx, id)).then(nothing),
  subscribe: (request) => orUnavailable(() => subscribe(ctx, request)).then(nothing),
  confirmSubscription: ({ token }) => orUnavailable(() => confirmSubscription(ctx, token)).then(nothing),
  unsubscribe: ({ token }) => orUnavailable(() => unsubscribe(ctx, token)).then(nothing),
});
