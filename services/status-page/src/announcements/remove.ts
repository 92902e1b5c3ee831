import type { Context } from "../context.ts";
import { deleteAllOf } from "../mails/mailing-store.ts";
import { missing } from "./limits.ts";
import * as store from "./store.ts";

/** Deletes it with its updates, and with unsent mails. @throws AppError `not_found` */
export async function removeAnnouncement(ctx: Context, id: number): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    if (!(await store.remove(trx, id))) throw missing();
    await deleteAllOf(trx, `announcement:${id}`);
  });
  ctx.changed();
}
