import {
  subscribeInput,
  subscribersAnswer,
  subscribersQuery,
  subscriptionTokenInput,
} from "@sonde/proto/http/status/subscribers";
import { limitTexts } from "../middleware/limits.ts";
import { command, route } from "../route.ts";
import { readDefaultPage } from "../status/serve.ts";

const path = "/api/status/subscribers";

export const subscriberRoutes = [
  command(`POST ${path}`, "anyone", {
    summary: "Subscribe an email address to the public page; the address receives a confirmation link",
    description: `The response does not reveal whether the address is already subscribed. Emails use the language of Accept-Language. ${limitTexts.wish}`,
    body: subscribeInput,
    refusals: ["impossible", "too_many"],
    message: "Please confirm your subscription with the link we emailed you",
    handle: async ({ ctx, body, ask, ...deps }) => {
      const { services, subscriptions } = deps;
      readDefaultPage(ctx, deps);
      await subscriptions.subscribe(ctx.state.address);
      await services.statusPage.subscribe({ ...body, language: ctx.state.language }, ask);
    },
  }),
  command(`POST ${path}/confirm`, "anyone", {
    summary: "Confirm a subscription with the token from its email",
    description: limitTexts.token,
    body: subscriptionTokenInput,
    refusals: ["too_many"],
    message: "Your subscription is confirmed",
    handle: async ({ services, subscriptions, ctx, body, ask }) => {
      await subscriptions.token(ctx.state.address);
      await services.statusPage.confirmSubscription(body, ask);
    },
  }),
  command(`POST ${path}/unsubscribe`, "anyone", {
    summary: "End a subscription with the token from any of its emails; repeating it is harmless",
    description: limitTexts.token,
    body: subscriptionTokenInput,
    refusals: ["too_many"],
    message: "You have unsubscribed",
    handle: async ({ services, subscriptions, ctx, body, ask }) => {
      await subscriptions.token(ctx.state.address);
      await services.statusPage.unsubscribe(body, ask);
    },
  }),
  route(`GET ${path}`, "session", {
    summary: "List subscribers of the public page, newest first",
    description: "Viewers only get `total`, the number of all subscribers regardless of the search.",
    query: subscribersQuery,
    answer: subscribersAnswer,
    handle: async ({ services, session, query, ask }) => {
      const maySee = session.role !== "viewer";
      // A searchable count would reveal to viewers whether an address is subscribed.
      const wanted = maySee ? query : { ...query, search: "" };
      const { subscribers, total } = await services.statusPage.listSubscribers(wanted, ask);
      return { subscribers: maySee ? subscribers : [], total };
    },
  }),
  command(`DELETE ${path}/:id`, "write", {
    summary: "Delete a subscriber",
    params: { id: "Subscriber does not exist" },
    message: "Subscriber deleted",
    handle: ({ services, params: { id }, ask }) => services.statusPage.deleteSubscriber({ id }, ask),
  }),
];
