import { toAppError } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { bulkActions } from "@sonde/proto/http/monitors/lists";
import type { Context } from "../context.ts";
import type { StoredMonitor } from "./monitor.ts";
import { writePaused, writeRemoval } from "./monitors.ts";

type BulkAction = (typeof bulkActions)[number];
type BulkAnswer = { done: number[]; failed: { id: number; message: string }[] };

const actions: Record<BulkAction, (trx: Database, id: number, atMs: number) => Promise<StoredMonitor>> = {
  pause: (trx, id, atMs) => writePaused(trx, id, true, atMs),
  resume: (trx, id, atMs) => writePaused(trx, id, false, atMs),
  delete: writeRemoval,
};
const chunkIds = 50;
const chunksAtOnce = 4;

/**
 * Applies one change to many monitors. Those that cannot be changed have the reason, as a key of the messages; the
 * others are changed. Rows are locked in order of id, so that two of these never deadlock.
 */
export async function bulkMonitors(
  ctx: Context,
  { ids, action }: { ids: number[]; action: BulkAction },
): Promise<BulkAnswer> {
  const act = actions[action];
  const answer: BulkAnswer = { done: [], failed: [] };
  const left = [...new Set(ids)].sort((one, other) => one - other);

  const changeChunk = async (chunk: readonly number[]) => {
    const failed: BulkAnswer["failed"] = [];
    const changed: StoredMonitor[] = [];
    await ctx.db.transaction(async (trx) => {
      for (const id of chunk) {
        try {
          changed.push(await act(trx, id, ctx.clock.now()));
        } catch (thrown) {
          const error = toAppError(thrown);
          if (error.code === "internal") throw thrown;
          failed.push({ id, message: error.key });
        }
      }
    });
    for (const { id, revision } of changed) ctx.committed(id, revision);
    answer.done.push(...changed.map(({ id }) => id));
    answer.failed.push(...failed);
  };
  const work = async () => {
    while (left.length > 0) await changeChunk(left.splice(0, chunkIds));
  };
  await orUnavailable(() => Promise.all(Array.from({ length: chunksAtOnce }, work)));

  const order = new Map(ids.map((id, index) => [id, index]));
  const inOrder = (one: number, other: number) => (order.get(one) ?? 0) - (order.get(other) ?? 0);
  answer.done.sort(inOrder);
  answer.failed.sort((one, other) => inOrder(one.id, other.id));
  return answer;
}
