import { type AppliedKind, applyManagedPart } from "@sonde/domain/managed/apply";
import type { Database } from "@sonde/kit/postgres/database";
import type { ApplyPart } from "@sonde/proto/rpc/apply";
import { changing, type Context } from "../context.ts";
import { maintenanceOf } from "./maintenance.ts";
import { pageOf } from "./page.ts";

/** Applies maintenance and page. The monitors and agents they refer to exist or are created with them. */
export const applyPage = (ctx: Context, part: ApplyPart, signal: AbortSignal) => {
  const transact = <Result>(run: (trx: Database) => Promise<Result>) =>
    part.generation === null ? ctx.db.transaction(run) : changing(ctx, run);
  return applyManagedPart(transact, { part, signal }, (ids) =>
    [maintenanceOf(ctx, ids), pageOf(ctx, ids)].map((kind) => kind as AppliedKind<unknown, unknown>),
  );
};
