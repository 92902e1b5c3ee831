import { AppError } from "@sonde/kit/errors";
import { type Context, requireSelfOrAdmin } from "../context.ts";
import type { User } from "./user.ts";

/** One user, for that user or an admin. @throws AppError `not_found`, `forbidden` */
export async function getUser(ctx: Context, { id }: { id: number }): Promise<User> {
  requireSelfOrAdmin(ctx, id);
  return found(await ctx.store.users.find(id));
}

/** @throws AppError `not_found` for nobody */
export function found(user: User | undefined): User {
  if (user === undefined) throw new AppError("not_found", "User does not exist");
  return user;
}
