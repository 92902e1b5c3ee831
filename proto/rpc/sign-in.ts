import * as z from "zod";
import {
  createProviderInput,
  exchangeAnswer,
  exchangeInput,
  nextPath,
  providerReport,
  providersAnswer,
  signInErrors,
  signInProvider,
  testProviderInput,
  updateProviderInput,
} from "../http/sign-in.ts";
import { contract, nothing } from "./contract.ts";

const slug = z.string();
/** Address that browsers use, for installations without PUBLIC_URL. */
const origin = z.string();
const address = z.string();

/** Sign-in with identity providers (OpenID Connect), owned by auth. */
export const signInContract = contract("sign-in", {
  listProviders: { input: z.object({ origin }), answer: providersAnswer.pick({ providers: true, passwords: true }) },
  createProvider: { input: createProviderInput.extend({ origin }), answer: signInProvider },
  updateProvider: { input: updateProviderInput.extend({ slug, origin }), answer: signInProvider },
  deleteProvider: { input: z.object({ slug }), answer: nothing },
  testProvider: { input: testProviderInput.extend({ slug }), answer: providerReport },
  // `flow`: secret kept in the browser's cookie until the sign-in completes.
  startSignIn: {
    input: z.object({ slug, origin, address, next: nextPath.optional() }),
    answer: z.union([z.object({ url: z.string(), flow: z.string() }), z.object({ error: z.enum(signInErrors) })]),
  },
  // `query`: query string of the provider's redirect.
  finishSignIn: {
    input: z.object({ slug, query: z.string(), flow: z.string().optional(), address }),
    answer: z.union([z.object({ code: z.string() }), z.object({ error: z.enum(signInErrors) })]),
  },
  exchangeSignIn: {
    input: exchangeInput.extend({ flow: z.string().optional(), address, client: z.string().optional() }),
    answer: exchangeAnswer.pick({ token: true, user: true, next: true }),
  },
  // Ends sessions for a provider's logout token before it responds.
  endByProvider: { input: z.object({ slug, logoutToken: z.string(), address }), answer: nothing },
});
