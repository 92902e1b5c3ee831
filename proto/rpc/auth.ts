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
import { viewsAnswer, viewsInput } from "../http/views.ts";
import { contract, nothing } from "./contract.ts";

/** Client address, used to limit attempts. */
const address = z.string();
/** Hex SHA-256 of a session token. */
const tokenHash = z.string();
const ofUser = z.object({ id });
const views = viewsAnswer.pick({ views: true, shared: true });

/** `origin`: address of Sonde, if passkeys can be bound to it. */
export const loginFrom = { address, client: z.string().optional(), origin: z.string().optional() };
export const opened = loginAnswer.pick({ token: true, user: true, factor: true });

/**
 * Users, passwords and sessions. Methods that change a session respond after the bucket `sessions` has acknowledged the
 * change.
 */
export const authContract = contract("auth", {
  register: { input: registerInput.extend({ address }), answer: user },
  // `client`: `User-Agent` of the login, shown in the list of sessions.
  login: { input: loginInput.extend(loginFrom), answer: opened },
  logout: { input: z.object({ tokenHash }), answer: nothing },
  // The caller's sessions, newest first. `tokenHash` identifies the current one.
  listSessions: { input: z.object({ tokenHash }), answer: sessionsAnswer.pick({ sessions: true }) },
  // not_found: the session is not the caller's
  endSession: { input: ofUser, answer: nothing },
  resolveSession: {
    // `keys`: the caller supports API keys; for others, key tokens are not sessions.
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
    // `origin`: as for login; empty if passkeys cannot be bound to it.
    input: z.object({ origin: z.string().optional() }),
    answer: z.object({
      mode: z.enum(registrationModes),
      firstAccount: z.boolean(),
      setupCodeRequired: z.boolean(),
      passkeys: z.boolean().optional(),
      // Absent from versions without sign-in providers.
      signIn: signInState.optional(),
    }),
  },
  listUsers: { input: usersQuery, answer: usersAnswer.pick({ users: true, total: true }) },
  getUser: { input: ofUser, answer: user },
  // Users by id, and by name or address, without unknown ones; or without both, up to 100 active ones. For names in
  // responses, and messages to users.
  people: {
    input: z.object({
      ids: z.array(id).optional(),
      names: z.array(z.string()).optional(),
      search: z.string().optional(),
    }),
    answer: z.object({
      people: z.array(user.pick({ id: true, username: true, email: true, emailVerified: true, status: true })),
    }),
  },
  createUser: { input: createUserInput, answer: user },
  updateUser: { input: updateUserInput.extend({ id }), answer: user },
  deleteUser: { input: ofUser, answer: nothing },
  changePassword: {
    // `tokenHash`: the session to keep when users change their own password.
    input: changePasswordInput.extend({ id, tokenHash: tokenHash.optional() }),
    answer: nothing,
  },
  // The caller's saved views, and those that others share.
  listViews: { input: z.object({}), answer: views },
  saveViews: { input: viewsInput, answer: views },
});
