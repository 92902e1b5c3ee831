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
/** The address that browsers use for this Sonde, for where PUBLIC_URL is not set. */
const origin = z.string();
const address = z.string();

/** Sign-in by providers of identities (OpenID Connect), of auth. */
export const signInContract = contract("sign-in", {
  listProviders: { input: z.object({ origin }), answer: providersAnswer.pick({ providers: true, passwords: true }) },
  createProvider: { input: createProviderInput.extend({ origin }), answer: signInProvider },
  updateProvider: { input: updateProviderInput.extend({ slug, origin }), answer: signInProvider },
  deleteProvider: { input: z.object({ slug }), answer: nothing },
  testProvider: { input: testProviderInput.extend({ slug }), answer: providerReport },
  // `flow`: a secret that the browser keeps in a cookie until the end.
  startSignIn: {
    input: z.object({ slug, origin, address, next: nextPath.optional() }),
    answer: z.union([z.object({ url: z.string(), flow: z.string() }), z.object({ error: z.enum(signInErrors) })]),
  },
  // `query`: as the provider sent the browser back.
  finishSignIn: {
    input: z.object({ slug, query: z.string(), flow: z.string().optional(), address }),
    answer: z.union([z.object({ code: z.string() }), z.object({ error: z.enum(signInErrors) })]),
  },
  exchangeSignIn: {
    input: exchangeInput.extend({ flow: z.string().optional(), address, client: z.string().optional() }),
    answer: exchangeAnswer.pick({ token: true, user: true, next: true }),
  },
  // Ends sessions by a provider's logout token, before it answers.
  endByProvider: { input: z.object({ slug, logoutToken: z.string(), address }), answer: nothing },
});
