import type { RegistrationMode } from "@sonde/proto/http/auth";
import { configAnswer } from "@sonde/proto/http/config";
import { route } from "../route.ts";
import { version } from "../version.ts";

export const configRoutes = [
  route({
    method: "GET",
    path: "/api/config",
    who: "anyone",
    summary: "What the web app must know before login",
    answer: configAnswer,
    handle: async ({ services, config, ask }) => {
      const state = await services.auth.registrationState({}, ask);
      return {
        registration: state.mode as RegistrationMode,
        setup: { firstAccount: state.firstAccount, codeRequired: state.setupCodeRequired },
        publicUrl: config.publicUrl,
        footerLinks: config.footerLinks,
        version,
        minIntervalMinutes: config.minIntervalMinutes,
      };
    },
  }),
];
