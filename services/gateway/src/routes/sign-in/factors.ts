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
  "The body must contain the password unless you logged in or entered it less than 5 minutes ago (otherwise 422).";

export const factorRoutes = [
  route("POST /api/auth/passkey", "anyone", {
    summary: "Start a login with only a passkey",
    description: "Send the browser's response to `POST /api/auth/factor`. At most 300 per address in 15 minutes.",
    refusals: ["impossible", "too_many"],
    answer: passkeyAnswer,
    handle: ({ services, config, ctx, ask }) => services.factors.beginPasskey(loginFrom(config, ctx), ask),
  }),
  route("POST /api/auth/factor", "anyone", {
    summary: "Complete a login with a code, recovery code or passkey; a wrong one is 401",
    description:
      "A ticket is valid for 5 minutes and 5 wrong codes. In 15 minutes, at most 5 wrong codes per address and account, and 20 codes per account. With a ticket of the method `enroll`, it adds the new factor.",
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
    summary: "Start adding the second factor that a login requires",
    body: enrollInput,
    refusals: ["unauthenticated", "conflict"],
    answer: enrollAnswer,
    handle: ({ services, config, body, ctx, ask }) =>
      services.factors.enroll({ ...body, ...loginFrom(config, ctx) }, ask),
  }),
  route("GET /api/me/factors", "session", {
    summary: "List your second factors, and the ones you can add",
    answer: factorsAnswer,
    handle: ({ services, config, ctx, ask }) => services.factors.listFactors(loginFrom(config, ctx), ask),
  }),
  route("POST /api/me/factors", "session", {
    summary: "Add a second factor in two steps, or create new recovery codes",
    description: `The first request, without a ticket, returns a ticket and the data for the app or browser. The second sends the ticket with the code or passkey. The first factor comes with ${recoveryCodeCount} recovery codes. An account can have one authenticator app and ${maxPasskeys} passkeys. ${again}`,
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
    summary: "Remove one of your second factors",
    description: again,
    params: { id: "Second factor does not exist" },
    body: passwordAgain,
    message: "Second factor removed",
    handle: ({ services, session, params, body, ask }) =>
      services.factors.removeFactor({ ...params, ...body, tokenHash: session.hash }, ask),
  }),
  command("POST /api/me/sessions/end", "session", {
    summary: "End all your other sessions; API keys stay valid",
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
