import { AppError } from "@sonde/kit/errors";
import {
  changePasswordInput,
  createUserInput,
  updateUserInput,
  userAnswer,
  usersAnswer,
  usersQuery,
} from "@sonde/proto/http/users";
import { createInviteInput, inviteHours, invitesAnswer, maxInvites, newInviteAnswer } from "@sonde/proto/http/invites";
import { ownOrigin } from "../middleware/host.ts";
import { command, type HandlerBase, route } from "../route.ts";
import { timeouts } from "../services.ts";

const params = { id: "User does not exist" } as const;

export const userRoutes = [
  route("GET /api/users", "admin", {
    summary: "List users",
    query: usersQuery,
    answer: usersAnswer,
    handle: ({ services, query, ask }) => services.auth.listUsers(query, ask),
  }),
  route("POST /api/users", "admin", {
    summary: "Create a user",
    body: createUserInput,
    status: 201,
    answer: userAnswer,
    message: "User created",
    handle: async ({ services, body, ask }) => ({ user: await services.auth.createUser(body, ask) }),
  }),
  route("GET /api/users/invites", "admin", {
    summary: "List open invites, newest first",
    answer: invitesAnswer,
    handle: ({ services, ask }) => services.invites.listInvites({}, ask),
  }),
  route("POST /api/users/invites", "admin", {
    summary: "Create a link that lets one person create an account; the link is only returned here",
    description: `An invite is valid for ${inviteHours} hours, works once, also while registration is closed, and ends when its creator is no longer an administrator. At most ${maxInvites} can be open, otherwise 422. The email uses the language of Accept-Language.`,
    body: createInviteInput,
    refusals: ["impossible"],
    status: 201,
    answer: newInviteAnswer,
    message: "Invite created",
    handle: ({ services, config, body, ctx, ask }) =>
      services.invites.createInvite({ ...body, site: ownOrigin(config, ctx), language: ctx.state.language }, ask),
  }),
  command("DELETE /api/users/invites/:id", "admin", {
    summary: "Revoke an invite; its link stops working",
    params: { id: "The invite does not exist" },
    message: "Invite revoked",
    handle: ({ services, params: { id }, ask }) => services.invites.deleteInvite({ id }, ask),
  }),
  route("GET /api/users/:id", "self", {
    summary: "Get a user; other users only as an administrator",
    params,
    answer: userAnswer,
    handle: async ({ services, params: { id }, ask }) => ({
      user: await services.auth.getUser({ id }, ask),
    }),
  }),
  route("PUT /api/users/:id", "self", {
    summary: "Update a user; an absent email clears it, and only administrators can set role and status",
    description:
      "The stored username is always accepted. A new one must follow the rules for new users, otherwise the response is 400 for `username`.",
    params,
    body: updateUserInput,
    answer: userAnswer,
    handle: async ({ services, sessions, session, params: { id }, body, ask }) => {
      const isReserved = body.role !== undefined || body.status !== undefined;
      if (isReserved && session.role !== "admin") {
        throw new AppError("forbidden", "Only administrators can change this");
      }
      const user = await services.auth.updateUser({ id, ...body }, ask);
      await Promise.all([sessions.settle(), mayMakeTokens(user) || revokeTokens(services, id, ask)]);
      return { message: id === session.userId ? "Profile updated" : "User updated", user };
    },
  }),
  command("DELETE /api/users/:id", "admin", {
    summary: "Delete a user; their sessions end",
    params,
    refusals: ["conflict"],
    message: "User deleted",
    handle: async ({ services, sessions, params: { id }, ask }) => {
      await services.auth.deleteUser({ id }, ask);
      await Promise.all([sessions.settle(), revokeTokens(services, id, ask)]);
    },
  }),
  command("POST /api/users/:id/change-password", "self", {
    summary: "Change a password; every other session of that user ends",
    description:
      "Your own password requires the current one, which may be wrong 10 times in 15 minutes. Administrators change other users' passwords without it.",
    params,
    body: changePasswordInput,
    settles: true,
    message: "Password changed",
    handle: ({ services, session, params: { id }, body, ask }) =>
      services.auth.changePassword({ id, ...body, tokenHash: session.hash }, ask),
  }),
];

const mayMakeTokens = ({ role, status }: { role: string; status: string }) => status === "active" && role !== "viewer";

/** Best effort: agent-ingest checks the creator of a token at each use. */
const revokeTokens = ({ agents }: HandlerBase["services"], userId: number, ask: HandlerBase["ask"]) =>
  agents.revokeTokensOf({ userId }, { ...ask, timeoutMs: timeouts.optionalMs }).catch(() => {});
