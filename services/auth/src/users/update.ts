import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import { createUserInput, updateUserInput } from "@sonde/proto/http/users";
import { check, type Context, requireSelfOrAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { found } from "./get.ts";
import { keepLastAdmin } from "./last-admin.ts";
import type { User } from "./user.ts";

export type UpdateInput = {
  id: number;
  username: string;
  /** Absent clears it. */
  email?: string | undefined;
  /** Absent keeps it; only an admin may say it. */
  role?: string | undefined;
  status?: string | undefined;
};

/**
 * Changes a user, by that user or by an admin. Their sessions carry what changed, or end where they are not active any
 * more, before this resolves.
 * @throws AppError `invalid`, `forbidden`, `not_found`, `conflict` (a taken name or address; the last admin)
 */
export async function updateUser(ctx: Context, input: UpdateInput): Promise<User> {
  const { id } = input;
  const actor = requireSelfOrAdmin(ctx, id);
  const {
    username,
    email = null,
    role,
    status,
  } = check(updateUserInput, {
    username: input.username,
    email: input.email,
    role: input.role,
    status: input.status,
  });
  if (actor.role !== "admin" && (role !== undefined || status !== undefined)) throw forAdmins({ role, status });

  const user = await changeSessions(ctx, async ({ users, refresh }) => {
    if (role !== undefined || status !== undefined) await users.lockAll();
    const before = found(await users.lock(id));
    // A stored name may be older than the rule: its account must stay editable.
    if (username !== before.username) check(createUserInput.pick({ username: true }), { username });
    const after = { username, email, role: role ?? before.role, status: status ?? before.status };
    await keepLastAdmin(users, before, after);
    await users.refuseTaken(after, id);
    const changed = await users.update(id, after);
    await refresh(changed);
    return changed;
  });
  ctx.log.info({ userId: id, role: user.role, status: user.status, actorId: actor.id }, "user updated");
  return user;
}

function forAdmins(fields: Record<string, unknown>): AppError {
  const message: Message = "Only an administrator may change this";
  const given = Object.keys(fields).filter((path) => fields[path] !== undefined);
  return new AppError("forbidden", message, { details: given.map((path) => ({ path, message })) });
}
