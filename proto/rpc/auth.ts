import * as z from "zod";
import { loginAnswer, loginInput, registerInput, registrationModes, sessionsAnswer } from "../http/auth.ts";
import { id } from "../http/envelope.ts";
import { scopes } from "../http/keys.ts";
import { signInState } from "../http/sign-in.ts";
import {
  changePasswordInput,
  createUserInput,
  roles,
  updateUserInput,
  user,
  usersAnswer,
  usersQuery,
} from "../http/users.ts";
import { contract, nothing } from "./contract.ts";

/** The client's address, by which attempts are limited. */
const address = z.string();
/** The hex SHA-256 of a session's token. */
const tokenHash = z.string();
const ofUser = z.object({ id });

/** Users, passwords, sessions. What changes a session answers after the bucket `sessions` has acknowledged it. */
export const authContract = contract("auth", {
  register: { input: registerInput.extend({ address }), answer: user },
  // `client`: the `User-Agent` of the login, shown in the list of sessions.
  login: {
    // `origin`: where people open Sonde, if passkeys can be bound to it.
    input: loginInput.extend({ address, client: z.string().optional(), origin: z.string().optional() }),
    answer: loginAnswer.pick({ token: true, user: true, factor: true }),
  },
  logout: { input: z.object({ tokenHash }), answer: nothing },
  // Of the caller, the newest first. `tokenHash`: the caller's own session.
  listSessions: { input: z.object({ tokenHash }), answer: sessionsAnswer.pick({ sessions: true }) },
  // not_found: the caller has no such session
  endSession: { input: ofUser, answer: nothing },
  resolveSession: {
    // `keys`: the caller knows API keys; to others their tokens are no sessions.
    input: z.object({ tokenHash, keys: z.literal(true).optional() }),
    answer: z.object({
      userId: id,
      username: z.string(),
      email: z.string().optional(),
      role: z.enum(roles),
      expiresAtMs: z.number(),
      userCreatedAtMs: z.number(),
      key: z.object({ id, scopes: z.array(z.enum(scopes)), allowFrom: z.array(z.string()) }).optional(),
    }),
  },
  registrationState: {
    // `origin`: as for a login; empty if passkeys cannot be bound to it.
    input: z.object({ origin: z.string().optional() }),
    answer: z.object({
      mode: z.enum(registrationModes),
      firstAccount: z.boolean(),
      setupCodeRequired: z.boolean(),
      passkeys: z.boolean().optional(),
      // Absent of a version without.
      signIn: signInState.optional(),
    }),
  },
  listUsers: { input: usersQuery, answer: usersAnswer.pick({ users: true, total: true }) },
  getUser: { input: ofUser, answer: user },
  createUser: { input: createUserInput, answer: user },
  updateUser: { input: updateUserInput.extend({ id }), answer: user },
  deleteUser: { input: ofUser, answer: nothing },
  changePassword: {
    // `tokenHash`: the session that stays when users change their own password.
    input: changePasswordInput.extend({ id, tokenHash: tokenHash.optional() }),
    answer: nothing,
  },
});
