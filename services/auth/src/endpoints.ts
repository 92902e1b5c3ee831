import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Call, Handlers } from "@sonde/kit/bus/rpc";
import type { authContract } from "@sonde/proto/rpc/auth";
import type { Context, Deps } from "./context.ts";
import { endSession, listSessions, login, logout, resolveSession } from "./sessions/sessions.ts";
import { sessionFields } from "./sessions/bucket.ts";
import { changePassword, createUser, deleteUser, getUser, listUsers, updateUser } from "./users/users.ts";
import { register, registrationState } from "./users/register.ts";
import { presentUser } from "./users/store.ts";

export function endpoints(deps: Deps): Handlers<typeof authContract> {
  const on =
    <Input, Output, Answer>(
      verb: (ctx: Context, input: Input) => Promise<Output>,
      answer: (output: Output) => Answer,
    ): ((input: Input, call: Call) => Promise<Answer>) =>
    async (input, { actor, signal }) =>
      answer(await orUnavailable(() => verb({ ...deps, signal, actor }, input)));
  const nothing = () => ({});

  return {
    register: on(register, presentUser),
    login: on(login, ({ token, user }) => ({ token, user: presentUser(user) })),
    logout: on(logout, nothing),
    listSessions: on(listSessions, (sessions) => sessions),
    endSession: on(endSession, nothing),
    resolveSession: on(resolveSession, sessionFields),
    registrationState: on(registrationState, (state) => state),
    listUsers: on(listUsers, ({ users, total }) => ({ users: users.map(presentUser), total })),
    getUser: on(getUser, presentUser),
    createUser: on(createUser, presentUser),
    updateUser: on(updateUser, presentUser),
    deleteUser: on(deleteUser, nothing),
    changePassword: on(changePassword, nothing),
  };
}
