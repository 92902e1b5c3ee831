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

export const signInRoutes = [
  route("POST /api/auth/oidc/exchange", "anyone", {
    summary: "Create the session for a sign-in with a provider",
    description:
      "Takes the code from `/login/complete`, once and within a minute, from the browser that started the sign-in and holds its cookie.",
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
    summary: "List identity providers",
    answer: providersAnswer,
    handle: ({ services, config, ctx, ask }) => services.signIn.listProviders({ origin: ownOrigin(config, ctx) }, ask),
  }),
  route("POST /api/sign-in/providers", "admin", {
    summary: "Add a provider (OpenID Connect)",
    description: `At most ${maxProviders}, otherwise 422. The secret is stored encrypted and masked in responses.`,
    body: createProviderInput,
    status: 201,
    answer: providerAnswer,
    message: "Provider created",
    handle: async ({ services, config, ctx, body, ask }) => ({
      provider: await services.signIn.createProvider({ ...body, origin: ownOrigin(config, ctx) }, ask),
    }),
  }),
  route("PUT /api/sign-in/providers/:slug", "admin", {
    summary: "Replace a provider; an absent or masked secret is kept unless the issuer changes",
    description: "409 for the provider set by environment variables.",
    params,
    body: updateProviderInput,
    answer: providerAnswer,
    message: "Provider updated",
    handle: async ({ services, config, ctx, params: { slug }, body, ask }) => ({
      provider: await services.signIn.updateProvider({ ...body, slug, origin: ownOrigin(config, ctx) }, ask),
    }),
  }),
  command("DELETE /api/sign-in/providers/:slug", "admin", {
    summary: "Delete a provider and end the sessions created with it",
    params,
    refusals: ["conflict"],
    settles: true,
    message: "Provider deleted",
    handle: ({ services, params: { slug }, ask }) => services.signIn.deleteProvider({ slug }, ask),
  }),
  route("POST /api/sign-in/providers/:slug/test", "admin", {
    summary: "Test a provider: discovery, keys, clock, and the role for sample claims",
    description:
      "For a provider that is not saved yet, send the input as `provider`. No secret is sent to the provider.",
    params,
    body: testProviderInput,
    answer: providerReportAnswer,
    handle: async ({ services, params: { slug }, body, ask }) => ({
      report: await services.signIn.testProvider({ ...body, slug }, { ...ask, timeoutMs: timeouts.channelTestMs }),
    }),
  }),
];
