import {
  createProviderInput,
  exchangeAnswer,
  exchangeInput,
  maxProviders,
  providerAnswer,
  providerReportAnswer,
  providersAnswer,
  providerSlug,
  testProviderInput,
  updateProviderInput,
} from "@sonde/proto/http/sign-in";
import { ownOrigin } from "../../middleware/host.ts";
import { command, route } from "../../route.ts";
import { timeouts } from "../../services.ts";
import { readCode } from "./way.ts";

const params = { slug: { missing: "Provider does not exist", schema: providerSlug } } as const;

/** Providers that people sign in with; the way through one is `way.ts`. */
export const signInRoutes = [
  route("POST /api/auth/oidc/exchange", "anyone", {
    summary: "Open the session of a sign-in by a provider",
    description:
      "With the code of `/login/complete`, once and within a minute, in the browser in which the sign-in began: its cookie comes with it.",
    body: exchangeInput,
    refusals: ["unauthenticated", "forbidden"],
    answer: exchangeAnswer,
    message: "Login successful",
    handle: async ({ services, body, ctx, ask }) => {
      const client = ctx.get("User-Agent") || undefined;
      const origin = { address: ctx.state.address, client };
      const { forget, ...flow } = readCode(ctx, body.code);
      const opened = await services.signIn.exchangeSignIn({ ...flow, ...origin }, ask);
      forget();
      return opened;
    },
  }),
  route("GET /api/sign-in/providers", "admin", {
    summary: "Providers that people sign in with",
    answer: providersAnswer,
    handle: ({ services, config, ctx, ask }) => services.signIn.listProviders({ origin: ownOrigin(config, ctx) }, ask),
  }),
  route("POST /api/sign-in/providers", "admin", {
    summary: "Add a provider (OpenID Connect)",
    description: `At most ${maxProviders}, else 422. Its secret is sealed, and masked in every answer.`,
    body: createProviderInput,
    status: 201,
    answer: providerAnswer,
    message: "Provider created",
    handle: async ({ services, config, ctx, body, ask }) => ({
      provider: await services.signIn.createProvider({ ...body, origin: ownOrigin(config, ctx) }, ask),
    }),
  }),
  route("PUT /api/sign-in/providers/:slug", "admin", {
    summary: "Replace a provider; an absent or masked secret stays, unless the issuer changes",
    description: "409 for the one that the environment gives.",
    params,
    body: updateProviderInput,
    answer: providerAnswer,
    message: "Provider updated",
    handle: async ({ services, config, ctx, params: { slug }, body, ask }) => ({
      provider: await services.signIn.updateProvider({ ...body, slug, origin: ownOrigin(config, ctx) }, ask),
    }),
  }),
  command("DELETE /api/sign-in/providers/:slug", "admin", {
    summary: "Delete a provider; the sessions that it opened end",
    params,
    refusals: ["conflict"],
    settles: true,
    message: "Provider deleted",
    handle: ({ services, params: { slug }, ask }) => services.signIn.deleteProvider({ slug }, ask),
  }),
  route("POST /api/sign-in/providers/:slug/test", "admin", {
    summary: "Look at a provider before it is saved: discovery, keys, clock, and the role that claims would give",
    description: "It may not be saved yet: then `provider` has what is to be. No secret is sent to it.",
    params,
    body: testProviderInput,
    answer: providerReportAnswer,
    handle: async ({ services, params: { slug }, body, ask }) => ({
      report: await services.signIn.testProvider({ ...body, slug }, { ...ask, timeoutMs: timeouts.channelTestMs }),
    }),
  }),
];
