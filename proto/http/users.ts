import * as z from "zod";
import { id, instant, listQuery, success } from "./envelope.ts";
import { isOfOneScript, isUnmistakable, textOf, usernamePattern } from "./text.ts";

export const roles = ["admin", "user", "viewer"] as const;
export type Role = (typeof roles)[number];
export const userStatuses = ["active", "pending", "disabled"] as const;
export type UserStatus = (typeof userStatuses)[number];

const passwordLength = { min: 8, max: 256 } as const;

const anyUsername = textOf({ max: 64 }, { max: "The username can have at most {max} characters" }).min(
  1,
  "Username is required",
);
export const username = anyUsername
  .refine((text) => text.trim() === text, "The username cannot start or end with a space")
  .refine(isUnmistakable, { message: "The username cannot contain control or invisible characters", abort: true })
  .refine(isOfOneScript, "A word in the username cannot mix alphabets")
  .meta({ pattern: usernamePattern, description: "No word may mix alphabets (UTS 39, single script)." });
const emailMessage = "Please enter a valid email address";
/** RFC 5321, 4.5.3.1: at most 64 octets before the at sign, 254 in total. */
export const email = z
  .email(emailMessage)
  .max(254)
  .refine((text) => text.lastIndexOf("@") <= 64, emailMessage);
export const newPassword = textOf(passwordLength, {
  min: "The password must have at least {min} characters",
  max: "The password can have at most {max} characters",
});

export const user = z.object({
  id,
  username: z.string(),
  email: z.string().optional(),
  emailVerified: z.boolean().optional().meta({
    description:
      "True if an administrator set the address, or a provider with `linkByMail` verified it. Only accounts with a confirmed address are linked.",
  }),
  role: z.enum(roles),
  status: z.enum(userStatuses),
  createdAt: instant,
});
export type User = z.infer<typeof user>;

export const createUserInput = z.strictObject({
  username,
  email: email.optional(),
  password: newPassword,
  role: z.enum(roles).default("user"),
});
export type CreateUserInput = z.infer<typeof createUserInput>;

/**
 * An absent email clears it; an absent role or status keeps it. Stored usernames may predate the rules of `username`
 * and stay valid: only a different one is checked, if the stored one is known.
 */
export const updateUserInput = z.strictObject({
  username: anyUsername,
  email: email.optional(),
  emailVerified: z.boolean().optional().meta({
    description:
      "Administrators only: confirms the address that the user entered. An address changed by an administrator is confirmed.",
  }),
  role: z.enum(roles).optional(),
  status: z.enum(userStatuses).optional(),
});
export type UpdateUserInput = z.infer<typeof updateUserInput>;

export const changePasswordInput = z.strictObject({
  currentPassword: z.string().max(1024).optional(),
  newPassword,
});
export type ChangePasswordInput = z.infer<typeof changePasswordInput>;

export const userSorts = ["username", "createdAt", "role", "status"] as const;
export const usersQuery = z.strictObject({
  ...listQuery(userSorts),
  status: z.enum(userStatuses).optional(),
});
export type UsersQuery = z.infer<typeof usersQuery>;
export const userAnswer = success({ user });
export const usersAnswer = success({ users: z.array(user), total: z.int() });
