import { AppError } from "@sonde/kit/errors";
import { configAnswer } from "@sonde/proto/http/config";
import { plainSignIn } from "@sonde/proto/http/sign-in";
import { version } from "../config.ts";
import { passkeyOrigin } from "../middleware/host.ts";
import { type HandlerBase, route } from "../route.ts";
import type { Services } from "../services.ts";

export const configRoutes = [
  route("GET /api/config", "anyone", {
    summary: "Settings the web app needs before login",
    answer: configAnswer,
    handle: async (input) => {
      const state = await registrationState(input);
      const { config } = input;
      return {
        registration: state.mode,
        setup: { firstAccount: state.firstAccount, codeRequired: state.setupCodeRequired },
        passkeys: state.passkeys === true,
        signIn: state.signIn ?? plainSignIn,
        publicUrl: config.publicUrl,
        footerLinks: config.footerLinks,
        version,
        minIntervalMinutes: config.minIntervalMinutes,
      };
    },
  }),
];

type RegistrationState = Awaited<ReturnType<Services["auth"]["registrationState"]>>;
const lastStates = new WeakMap<Services, RegistrationState>();

/** Falls back to auth's last response: the app's links and footer must not depend on auth. */
async function registrationState({
  services,
  config,
  ctx,
  ask,
}: Pick<HandlerBase, "services" | "config" | "ctx" | "ask">) {
  try {
    const state = await services.auth.registrationState({ origin: passkeyOrigin(config, ctx) ?? "" }, ask);
    lastStates.set(services, state);
    return state;
  } catch (error) {
    const last = lastStates.get(services);
    if (last !== undefined && error instanceof AppError && error.code === "unavailable") return last;
    throw error;
  }
}
