import { AppError } from "@sonde/kit/errors";
import type { Client } from "@sonde/kit/bus/rpc";
import type { authContract } from "@sonde/proto/rpc/auth";

/** Whether the users who made tokens may still make some. */
export type Creators = {
  /**
   * Those of these users who were deleted, disabled, or may only read.
   * @throws AppError unavailable
   */
  gone(userIds: readonly number[]): Promise<Set<number>>;
};

export function askCreators(auth: Pick<Client<typeof authContract>, "getUser">): Creators {
  const isGone = async (id: number): Promise<boolean> => {
    try {
      // Every user may read their own account; the name is irrelevant here.
      const call = { actor: { id, username: "", role: "user" as const } };
      const { role, status } = await auth.getUser({ id }, { call });
      return status !== "active" || role === "viewer";
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return true;
      throw error;
    }
  };
  return {
    async gone(userIds) {
      const ids = [...new Set(userIds)];
      const states = await Promise.all(ids.map(isGone));
      return new Set(ids.filter((_, index) => states[index]));
    },
  };
}
