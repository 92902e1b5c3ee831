import { createUserInput } from "@sonde/proto/http/users";
import { check, type Context, requireAdmin } from "../context.ts";
import type { User } from "./user.ts";

export type CreateInput = { username: string; email?: string | undefined; password: string; role: string };

/** Makes an active account. Admins only. @throws AppError `invalid`, `conflict`, `forbidden` */
export async function createUser(ctx: Context, input: CreateInput): Promise<User> {
  const actor = requireAdmin(ctx);
  const {
    password,
    email = null,
    ...fields
  } = check(createUserInput, {
    username: input.username,
    email: input.email,
    password: input.password,
    role: input.role || undefined,
  });
  await ctx.store.users.refuseTaken({ ...fields, email });
  const passwordHash = await ctx.passwords.inTurn(`user ${actor.id}`, ({ hash }) => hash(password), ctx.signal);
  const createdAtMs = ctx.clock.now();
  const user = await ctx.store.users.insert({ ...fields, email, status: "active", passwordHash, createdAtMs });
  ctx.log.info({ userId: user.id, role: user.role, actorId: actor.id }, "user created");
  return user;
}
