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

/** Who is mailed what becomes of the public page. */
export const subscriberRoutes = [
  command(`POST ${path}`, "anyone", {
    summary: "Ask to be mailed news of the public page; the address gets a link that confirms it",
    description: `The answer is the same whether the address is known or not; its mails are in the language of Accept-Language. ${limitTexts.wish}`,
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
    summary: "Confirm a subscription by the token of its mail",
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
    summary: "End a subscription by the token of any of its mails; harmless again",
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
    description: "Viewers get their number alone (`total`), of all of them whatever they search for.",
    query: subscribersQuery,
    answer: subscribersAnswer,
    handle: async ({ services, session, query, ask }) => {
      const maySee = session.role !== "viewer";
      // A search with a count would reveal to a viewer whether an address is subscribed.
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
