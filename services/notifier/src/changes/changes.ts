import { record } from "@sonde/domain/audit";
import { currentCall } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { Change, ChangeInput } from "@sonde/proto/http/incidents/changes";
import type { Context } from "../context.ts";
import { changing } from "../on-call/named.ts";
import { deleteChangeRow, insertChange } from "./store.ts";

type ChangesContext = Pick<Context, "db" | "clock" | "committed">;

/** Records a change that was made by the caller or is reported by a key. */
export const createChange = (ctx: ChangesContext, { title, link, tags = [], at }: ChangeInput): Promise<Change> =>
  changing(ctx, async (trx, nowMs) => {
    const createdBy = currentCall()?.actor?.username ?? "";
    const atMs = at === undefined ? Math.floor(nowMs) : Date.parse(at);
    const after = await insertChange(trx, { title, link, tags, atMs, createdBy });
    await record(trx, "notifier", { action: "create", target: { type: "change", id: after.id, name: title }, after });
    return after;
  });

/** @throws AppError `not_found` */
export const deleteChange = (ctx: ChangesContext, { id }: { id: number }): Promise<Change> =>
  changing(ctx, async (trx) => {
    const before = await deleteChangeRow(trx, id);
    if (before === undefined) throw new AppError("not_found", "Change does not exist");
    await record(trx, "notifier", { action: "delete", target: { type: "change", id, name: before.title }, before });
    return before;
  });
