import * as z from "zod";
import { registrationModes } from "./auth.ts";
import { success } from "./envelope.ts";
import { signInState } from "./sign-in.ts";

/** Settings the web app needs before login. */
export const configAnswer = success({
  registration: z.enum(registrationModes),
  /**
   * While there is no account, the next one registered becomes the administrator in any mode; it may need the setup
   * code.
   */
  setup: z.object({ firstAccount: z.boolean(), codeRequired: z.boolean() }),
  passkeys: z.boolean().meta({
    description:
      "True if users can log in with only a passkey at this address. False for IP addresses, because passkeys cannot be bound to them.",
  }),
  /** Available ways to sign in. */
  signIn: signInState,
  publicUrl: z.string().nullable(),
  footerLinks: z.object({ blog: z.string(), video: z.string(), mail: z.string() }),
  version: z.string(),
  /** Minimum interval of monitors, in minutes. */
  minIntervalMinutes: z.number(),
});
export type ConfigAnswer = z.infer<typeof configAnswer>;
