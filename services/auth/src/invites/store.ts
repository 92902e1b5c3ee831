import type { Database } from "@sonde/kit/postgres/database";
import type { Role } from "@sonde/proto/http/users";

type InviteFields = { email: string | null; role: Role; expiresAtMs: number };
export type StoredInvite = InviteFields & { id: number; createdBy: string };
export type InviteStore = ReturnType<typeof inviteStore>;

export function inviteStore(db: Database) {
  const columns = ["invites.id", "invites.email", "invites.role", "users.username as createdBy", "expiresAtMs"];
  /** An invite is valid only while its creator is an active administrator. */
  const open = (nowMs: number) =>
    db("invites")
      .join("users", "users.id", "invites.createdById")
      .where({ "users.role": "admin", "users.status": "active" })
      .where("expiresAtMs", ">", nowMs);
  return {
    list: (nowMs: number): Promise<StoredInvite[]> =>
      open(nowMs).orderBy("invites.id", "desc").select<StoredInvite[]>(columns),
    find: (by: { id: number } | { tokenHash: string }, nowMs: number): Promise<StoredInvite | undefined> =>
      open(nowMs)
        .where("id" in by ? { "invites.id": by.id } : by)
        .first<StoredInvite | undefined>(columns),
    insert: async (row: InviteFields & { tokenHash: string; createdById: number }): Promise<number> => {
      const [made] = await db("invites").insert(row).returning<{ id: number }[]>("id");
      return made!.id;
    },
    /** Returns whether the invite existed: only one of several concurrent callers gets `true`. */
    take: async (id: number): Promise<boolean> => (await db("invites").where({ id }).delete()) > 0,
    forgetOld: async (nowMs: number): Promise<void> => {
      await db("invites").where("expiresAtMs", "<=", nowMs).delete();
    },
  };
}
