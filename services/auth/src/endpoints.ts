import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Call, Handlers } from "@sonde/kit/bus/rpc";
import type { AuthService } from "@sonde/proto/gen/auth/v1/auth";
import type { Context, Deps } from "./context.ts";
import { login } from "./sessions/login.ts";
import { logout } from "./sessions/logout.ts";
import { sessionFields } from "./sessions/bucket.ts";
import { resolveSession } from "./sessions/resolve.ts";
import { changePassword } from "./users/change-password.ts";
import { createUser } from "./users/create.ts";
import { deleteUser } from "./users/delete.ts";
import { getUser } from "./users/get.ts";
import { listUsers } from "./users/list.ts";
import { register } from "./users/register.ts";
import { registrationState } from "./users/registration-state.ts";
import { updateUser } from "./users/update.ts";
import { userMessage } from "./users/user.ts";

/** The bus table: method → verb. */
export function endpoints(deps: Deps): Handlers<typeof AuthService> {
  const on =
    <Input, Output, Answer>(
      verb: (ctx: Context, input: Input) => Promise<Output>,
      answer: (output: Output) => Answer,
    ): ((input: Input, call: Call) => Promise<Answer>) =>
    async (input, { actor, signal }) =>
      answer(await orUnavailable(() => verb({ ...deps, signal, actor }, input)));
  const nothing = () => ({});

  return {
    register: on(register, (user) => ({ user: userMessage(user) })),
    login: on(login, ({ token, user }) => ({ token, user: userMessage(user) })),
    logout: on(logout, nothing),
    resolveSession: on(resolveSession, sessionFields),
    registrationState: on(registrationState, (state) => state),
    listUsers: on(listUsers, ({ users, total }) => ({ users: users.map(userMessage), total })),
    getUser: on(getUser, userMessage),
    createUser: on(createUser, userMessage),
    updateUser: on(updateUser, userMessage),
    deleteUser: on(deleteUser, nothing),
    changePassword: on(changePassword, nothing),
  };
}
