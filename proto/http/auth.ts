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

export const openSession = z.object({
  id: rowId,
  startedAt: instant
    .optional()
    .meta({ description: "Absent for sessions created by versions that did not record it." }),
  expiresAt: instant,
  address: z.string().optional(),
  client: z.string().optional().meta({ description: "The browser or program, from the User-Agent header at login." }),
  isCurrent: z.boolean().meta({ description: "True for the session that sends this request." }),
});
export const sessionsAnswer = success({ sessions: z.array(openSession) });

export const loginAnswer = success({
  token: z.string().optional(),
  user: user.optional(),
  factor: factorDemand.optional().meta({ description: "Replaces `token` and `user` if a second factor is required." }),
});
export const meAnswer = success({ user });
export const messageAnswer = success({});
