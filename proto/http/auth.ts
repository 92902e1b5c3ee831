import * as z from "zod";
import { instant, rowId, success } from "./envelope.ts";
import { factorDemand } from "./factors.ts";
import { email, newPassword, user, username } from "./users.ts";

export const registrationModes = ["open", "approval", "closed"] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export const registerInput = z.strictObject({
  username,
  email: email.optional(),
  password: newPassword,
  setupCode: z.string().max(256).optional(),
});
export type RegisterInput = z.infer<typeof registerInput>;

export const loginInput = z.strictObject({
  username: z.string().min(1, "Username is required").max(256),
  password: z.string().min(1, "Password is required").max(1024),
});
export type LoginInput = z.infer<typeof loginInput>;

/** A login that has not ended. */
export const openSession = z.object({
  id: rowId,
  startedAt: instant.optional().meta({ description: "Absent of sessions of a version that did not keep it." }),
  expiresAt: instant,
  address: z.string().optional(),
  client: z.string().optional().meta({ description: "What the browser or program called itself at the login." }),
  isCurrent: z.boolean().meta({ description: "The session of this request." }),
});
export const sessionsAnswer = success({ sessions: z.array(openSession) });

export const loginAnswer = success({
  token: z.string().optional(),
  user: user.optional(),
  factor: factorDemand.optional().meta({ description: "In place of token and user: a second factor is needed." }),
});
export const meAnswer = success({ user });
export const messageAnswer = success({});
