import {
  addFactorAnswer,
  addFactorInput,
  enrollAnswer,
  enrollInput,
  factorAnswer,
  factorInput,
  factorsAnswer,
  maxPasskeys,
  passkeyAnswer,
  passwordAgain,
  recoveryCodeCount,
} from "@sonde/proto/http/factors";
import { loginFrom } from "../../middleware/host.ts";
import { command, route } from "../../route.ts";

const again =
  "Needs the password in the body, unless the login or the last password is less than 5 minutes old (else 422).";

export const factorRoutes = [
  route("POST /api/auth/passkey", "anyone", {
    summary: "Begin a login by a passkey alone",
    description: "The browser's answer is sent to `POST /api/auth/factor`. At most 300 of one address in 15 minutes.",
    refusals: ["impossible", "too_many"],
    answer: passkeyAnswer,
    handle: ({ services, config, ctx, ask }) => services.factors.beginPasskey(loginFrom(config, ctx), ask),
  }),
  route("POST /api/auth/factor", "anyone", {
    summary: "End a login by a code, a recovery code or a passkey; a refusal is 401",
    description:
      "A ticket lives 5 minutes and takes 5 wrong codes. At most 5 wrong ones of one address at one account, and 20 codes at one account, in 15 minutes. With a ticket of the method `enroll` it adds the factor that was begun.",
    body: factorInput,
    refusals: ["unauthenticated", "forbidden", "conflict"],
    answer: factorAnswer,
    message: "Login successful",
    handle: async ({ services, config, body, ctx, ask }) => {
      const opened = await services.factors.useFactor({ given: body, ...loginFrom(config, ctx) }, ask);
      return opened;
    },
  }),
  route("POST /api/auth/factor/enroll", "anyone", {
    summary: "Begin the second factor that a login demands, where there is none",
    body: enrollInput,
    refusals: ["unauthenticated", "conflict"],
    answer: enrollAnswer,
    handle: ({ services, config, body, ctx, ask }) =>
      services.factors.enroll({ ...body, ...loginFrom(config, ctx) }, ask),
  }),
  route("GET /api/me/factors", "session", {
    summary: "The own second factors, and what can be added",
    answer: factorsAnswer,
    handle: ({ services, config, ctx, ask }) => services.factors.listFactors(loginFrom(config, ctx), ask),
  }),
  route("POST /api/me/factors", "session", {
    summary: "Add a second factor in two steps, or make new recovery codes",
    description: `Without a ticket it begins: the answer has a ticket and what the app or the browser needs. With the ticket and the code or the passkey it ends. With the first factor come ${recoveryCodeCount} recovery codes. An account has at most one app and ${maxPasskeys} passkeys. ${again}`,
    body: addFactorInput,
    refusals: ["conflict"],
    answer: addFactorAnswer,
    handle: async ({ services, config, session, body, ctx, ask }) => {
      const added = await services.factors.addFactor(
        { ...body, tokenHash: session.hash, origin: loginFrom(config, ctx).origin },
        ask,
      );
      if (added.factor !== undefined) return { message: "Second factor added", ...added };
      return body.type === "recovery" ? { message: "Recovery codes created", ...added } : added;
    },
  }),
  command("DELETE /api/me/factors/:id", "session", {
    summary: "Remove one of the own second factors",
    description: again,
    params: { id: "Second factor does not exist" },
    body: passwordAgain,
    message: "Second factor removed",
    handle: ({ services, session, params, body, ask }) =>
      services.factors.removeFactor({ ...params, ...body, tokenHash: session.hash }, ask),
  }),
  command("POST /api/me/sessions/end", "session", {
    summary: "End every other session of one's own; API keys stay",
    description: again,
    body: passwordAgain,
    settles: true,
    message: "Your other sessions have ended",
    handle: ({ services, session, body, ask }) =>
      services.factors.endOtherSessions({ ...body, tokenHash: session.hash }, ask),
  }),
  command("DELETE /api/users/:id/factors", "admin", {
    summary: "Remove all second factors of a user who lost them",
    params: { id: "User does not exist" },
    message: "Second factors removed",
    handle: ({ services, params, ask }) => services.factors.resetFactors(params, ask),
  }),
];
