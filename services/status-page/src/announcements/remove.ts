import type { Context } from "../context.ts";
import { deleteAllOf } from "../mails/mailing-store.ts";
import { missing } from "./limits.ts";
import * as store from "./store.ts";

/** Takes it away with its updates, and with mails that were not sent yet. @throws AppError `not_found` */
export async function removeAnnouncement(ctx: Context, id: number): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    if (!(await store.remove(trx, id))) throw missing();
    await deleteAllOf(trx, `announcement:${id}`);
  });
  ctx.changed();
}
