import { AppError } from "@sonde/kit/errors";
import type { UserStore } from "./store.ts";
import type { User } from "./user.ts";

const isActiveAdmin = ({ role, status }: Pick<User, "role" | "status">) => role === "admin" && status === "active";

/**
 * Refuses what would leave nobody to administer. The caller holds `users.lockAll`: of two who demote each other at
 * once, one stays.
 * @param after the user as changed; null when deleted
 * @throws AppError `conflict`
 */
export async function keepLastAdmin(
  users: UserStore,
  before: User,
  after: Pick<User, "role" | "status"> | null,
): Promise<void> {
  if (!isActiveAdmin(before) || (after !== null && isActiveAdmin(after))) return;
  if ((await users.countActiveAdmins()) <= 1)
    throw new AppError("conflict", "The last active administrator must remain");
}
