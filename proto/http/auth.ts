import { z } from "zod";
import { success } from "./envelope.ts";
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

export const loginAnswer = success({ token: z.string(), user });
export const meAnswer = success({ user });
export const messageAnswer = success({});
