import {
  loginAnswer,
  loginInput,
  meAnswer,
  messageAnswer,
  registerInput,
  sessionsAnswer,
} from "@sonde/proto/http/auth";
import { acceptInviteInput, checkInviteAnswer, checkInviteInput } from "@sonde/proto/http/invites";
import type { User } from "@sonde/proto/http/users";
import { viewsAnswer, viewsInput } from "@sonde/proto/http/views";
import type { Session } from "../context.ts";
import { loginFrom } from "../middleware/host.ts";
import { command, route } from "../route.ts";

export const authRoutes = [
  route("POST /api/auth/register", "anyone", {
    summary: "Register an account",
    description: "At most 100 registrations per address in 15 minutes, including rejected ones.",
    body: registerInput,
    refusals: ["forbidden"],
    status: 201,
    answer: messageAnswer,
    handle: async ({ services, body, ctx, ask }) => {
      const user = await services.auth.register({ ...body, address: ctx.state.address }, ask);
      return {
        message:
          user.status === "pending"
            ? "Registration successful; an administrator must approve your account"
            : "Registration successful, please login",
      };
    },
  }),
  route("POST /api/auth/login", "anyone", {
    summary: "Log in; wrong credentials are 401. If a second factor is required, `factor` replaces the token",
    description:
      "In 15 minutes, at most 10 failed logins per address and account, and 100 per address. Sessions last 7 days; a user can have at most 100, then the oldest ends.",
    body: loginInput,
    refusals: ["unauthenticated", "forbidden"],
    answer: loginAnswer,
    handle: async ({ services, config, body, ctx, ask }) => {
      const { factor, ...opened } = await services.auth.login({ ...body, ...loginFrom(config, ctx) }, ask);
      return factor === undefined
        ? { message: "Login successful", ...opened }
        : { message: "A second factor is required", factor };
    },
  }),
  route("POST /api/auth/invites/check", "anyone", {
    summary: "Check the token of an invite; changes nothing",
    description: "Shares the limit of registrations.",
    body: checkInviteInput,
    refusals: ["not_found", "too_many"],
    answer: checkInviteAnswer,
    handle: ({ services, body, ctx, ask }) =>
      services.invites.checkInvite({ ...body, address: ctx.state.address }, ask),
  }),
  route("POST /api/auth/invites/accept", "anyone", {
    summary:
      "Create an account with an invite, and log in. If a second factor is required, `factor` replaces the token",
    description: "Unknown, used, revoked and expired tokens are the same 404. Shares the limit of registrations.",
    body: acceptInviteInput,
    refusals: ["not_found", "conflict", "impossible", "too_many"],
    status: 201,
    answer: loginAnswer,
    message: "Account created",
    handle: ({ services, config, body, ctx, ask }) =>
      services.invites.acceptInvite({ ...body, ...loginFrom(config, ctx) }, ask),
  }),
  command("POST /api/auth/logout", "session", {
    summary: "Log out; the token no longer works",
    settles: true,
    message: "Logout successful",
    handle: ({ services, session, ask }) => services.auth.logout({ tokenHash: session.hash }, ask),
  }),
  route("GET /api/auth/sessions", "session", {
    summary: "List your sessions, newest first",
    answer: sessionsAnswer,
    handle: ({ services, session, ask }) => services.auth.listSessions({ tokenHash: session.hash }, ask),
  }),
  command("DELETE /api/auth/sessions/:id", "session", {
    summary: "End one of your sessions",
    params: { id: "Session does not exist" },
    refusals: ["not_found"],
    settles: true,
    message: "Session ended",
    handle: ({ services, params, ask }) => services.auth.endSession(params, ask),
  }),
  route("GET /api/auth/me", "session", {
    summary: "Get the current user",
    answer: meAnswer,
    handle: async ({ session }) => ({ user: userOf(session) }),
  }),
  route("GET /api/me/views", "session", {
    summary: "List your saved views of the list of monitors, and those that others share",
    answer: viewsAnswer,
    handle: ({ services, ask }) => services.auth.listViews({}, ask),
  }),
  route("PUT /api/me/views", "session", {
    summary: "Replace your saved views",
    description: "Two views cannot have the same name. Only users and administrators can share views.",
    body: viewsInput,
    refusals: ["forbidden"],
    answer: viewsAnswer,
    handle: ({ services, body, ask }) => services.auth.saveViews(body, ask),
  }),
];

/** Only active accounts have sessions. */
const userOf = ({ userId, userCreatedAt, username, email, role }: Session): User => ({
  id: userId,
  username,
  ...(email === undefined ? {} : { email }),
  role,
  status: "active",
  createdAt: userCreatedAt,
});
