import { type AppliedKind, applyPart } from "@sonde/kit/managed/apply";
import type { Database } from "@sonde/kit/postgres/database";
import type { ApplyPart } from "@sonde/proto/rpc/apply";
import { deciding } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import { channelsOf } from "./channels.ts";
import { notifyOf, settingsOf } from "./settings.ts";
import { templatesOf } from "./templates.ts";

/** Plans or applies the channels, templates and settings of a document, which name each other in this order. */
export async function applyNotifications(ctx: Context, part: ApplyPart, signal: AbortSignal) {
  const transact = <Result>(run: (trx: Database) => Promise<Result>) =>
    part.generation === null ? ctx.db.transaction(run) : deciding(ctx.db, run);
  // What follows a change follows the commit.
  const within = { ...ctx, due: () => {}, committed: () => {} };
  const applied = await applyPart(transact, { part, signal }, (ids) =>
    [channelsOf(within), templatesOf(within), settingsOf(within, ids), notifyOf(within, ids)].map(
      (kind) => kind as AppliedKind<unknown, unknown>,
    ),
  );
  ctx.committed();
  ctx.due();
  return applied;
}
