import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { deleteChannel, found, hastenMessages, lockChannel } from "./store.ts";

/** Deletes a channel, also out of every setting; what waits for it fails. @throws AppError not_found */
export async function removeChannel(ctx: Context, { id }: { id: number }): Promise<void> {
  await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      found(await lockChannel(trx, id));
      await deleteChannel(trx, id);
      await hastenMessages(trx, id, ctx.clock.now());
    }),
  );
  ctx.due();
}
