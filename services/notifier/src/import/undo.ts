import { orUnavailable } from "@sonde/kit/postgres/database";
import type { NotificationsUndo } from "@sonde/proto/rpc/notifications";
import { deciding } from "../alerts/deciding.ts";
import { deleteChannel } from "../channels/store.ts";
import type { Context } from "../context.ts";
import { enqueueThresholds } from "../settings/projection.ts";
import { replan } from "../settings/replan.ts";
import { burySetting } from "../settings/store.ts";
import { deleteTemplate } from "../templates/store.ts";

/** Takes back channels, templates and settings that an import wrote, in one transaction. */
export async function undoImport(ctx: Context, request: NotificationsUndo): Promise<void> {
  const { channelIds, templateIds, settings } = request;
  const nowMs = ctx.clock.now();
  await orUnavailable(() =>
    deciding(ctx.db, async (trx) => {
      for (const { scope, targetId } of settings) {
        if (!(await burySetting(trx, scope, targetId, nowMs))) continue;
        await enqueueThresholds(trx, scope, [targetId]);
        await replan(trx, ctx.log, scope, targetId, nowMs);
      }
      for (const id of channelIds) await deleteChannel(trx, id);
      for (const id of templateIds) await deleteTemplate(trx, id);
    }),
  );
  ctx.committed();
  // Alerts decided meanwhile for such a channel fail now.
  ctx.due();
}
