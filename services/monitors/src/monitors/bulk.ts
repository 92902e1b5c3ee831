import { refuseOwnedBy, ownersOf } from "@sonde/domain/managed/table";
import { AppError, toAppError } from "@sonde/kit/errors";
import type { MessageParams } from "@sonde/proto/http/fill";
import type { BulkChanges, BulkUndo } from "@sonde/proto/http/monitors/lists";
import { isPassive, notProbed } from "@sonde/proto/http/monitors/kinds";
import { maxTagsPerTarget } from "@sonde/proto/http/tags";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { type Definition, inverseOf, type StoredMonitor } from "./monitor.ts";
import { changedPaths, type PlannedWrite, writeMonitors, writeRemovals } from "./monitors.ts";
import { mergeInput, patchOf } from "./rules.ts";
import { lockMonitors } from "./store.ts";

type BulkInput = z.output<(typeof monitorsContract)["methods"]["bulkMonitors"]["input"]>;
type BulkAnswer = { done: number[]; failed: BulkFailure[]; unchanged: number[]; undo?: BulkUndo[] };
type BulkFailure = { id: number; name?: string | undefined; message: string; params?: MessageParams };

const chunkIds = 50;
const chunksAtOnce = 4;

/**
 * Applies one change to many monitors. If some cannot be changed, the others are, and `failed` lists the reasons as
 * message keys. Locks rows in order of id, so that two bulk changes cannot deadlock.
 */
export async function bulkMonitors(ctx: Context, { ids, ...input }: BulkInput): Promise<BulkAnswer> {
  const answer: BulkAnswer = { done: [], failed: [], unchanged: [] };
  if (input.changes?.locations !== undefined) await ctx.locations.settled();
  const left = [...new Set(ids)].sort((one, other) => one - other);
  const undo = new Map<string, BulkUndo>();
  const work = async () => {
    while (left.length > 0) {
      const { planned, written, failed, unchanged } = await changeChunk(ctx, left.splice(0, chunkIds), input);
      for (const { id, revision } of written) ctx.committed(id, revision);
      if (input.action === "edit") written.forEach((after, at) => addUndo(undo, planned[at]!.before, after));
      answer.done.push(...written.map(({ id }) => id), ...unchanged);
      answer.failed.push(...failed);
      answer.unchanged.push(...unchanged);
    }
  };
  await Promise.all(Array.from({ length: chunksAtOnce }, work));

  const order = new Map(ids.map((id, index) => [id, index]));
  const inOrder = (one: number, other: number) => (order.get(one) ?? 0) - (order.get(other) ?? 0);
  if (input.action === "edit") answer.undo = [...undo.values()];
  answer.done.sort(inOrder);
  answer.failed.sort((one, other) => inOrder(one.id, other.id));
  return answer;
}

type PlannedChange = PlannedWrite & { before: StoredMonitor };

/** Changes in one transaction what can be changed. `written` has the order of `planned`. */
const changeChunk = (ctx: Context, ids: readonly number[], input: Omit<BulkInput, "ids">) =>
  ctx.db.transaction(async (trx) => {
    const existing = new Map((await lockMonitors(trx, ids)).map((row) => [row.id, row]));
    const owners = await ownersOf(trx, "monitor", ids);
    const planned: PlannedChange[] = [];
    const failed: BulkFailure[] = [];
    const unchanged: number[] = [];
    for (const id of ids) {
      const before = existing.get(id);
      try {
        if (before === undefined) throw new AppError("not_found", "Monitor does not exist");
        const after = afterChange(ctx, before, input);
        const isSame = after?.definition === before && after.paused === (before.status === "paused");
        if (!isSame) refuseOwnedBy(owners.get(id), before.name, changedPaths(before, after));
        if (isSame) unchanged.push(id);
        else planned.push({ definition: before, paused: false, ...after, before });
      } catch (thrown) {
        const error = toAppError(thrown);
        if (error.code === "internal") throw thrown;
        const [{ message, params } = { message: error.key, params: error.params }] = error.details;
        failed.push({ id, name: before?.name, message, params });
      }
    }
    const atMs = ctx.clock.now();
    const written =
      input.action === "delete"
        ? await writeRemovals(
            trx,
            planned.map(({ before }) => before.id),
            atMs,
          )
        : await writeMonitors(trx, planned, atMs);
    return { planned, written, failed, unchanged };
  });

/** `null` for a deletion; with the same definition if it stays as it is. @throws AppError invalid, impossible */
function afterChange(ctx: Context, before: StoredMonitor, { action, changes = {} }: Omit<BulkInput, "ids">) {
  if (action === "delete") return null;
  if (action !== "edit") return { definition: before, paused: action === "pause" };
  return { definition: changedDefinition(ctx, before, changes), paused: before.status === "paused" };
}

function changedDefinition(
  ctx: Context,
  before: StoredMonitor,
  { addTags = [], removeTags = [], ...rest }: BulkChanges,
): Definition {
  const { type } = before.config;
  if (isPassive(type) && Object.keys(rest).length > 0) throw new AppError("impossible", notProbed[type]);
  const tags = [...new Set([...before.tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];
  if (tags.length > maxTagsPerTarget)
    throw new AppError("impossible", "At most {max} tags are allowed", { params: { max: maxTagsPerTarget } });
  const definition = mergeInput(ctx, patchOf({ ...rest, tags }), { before });
  const isSame = isDeepStrictEqual(
    [definition.tags, definition.locations, definition.intervalMs, definition.timeoutMs],
    [before.tags, before.locations, before.intervalMs, before.timeoutMs],
  );
  return isSame ? before : definition;
}

function addUndo(undo: Map<string, BulkUndo>, before: StoredMonitor, after: StoredMonitor): void {
  const changes = inverseOf(before, after);
  const key = JSON.stringify(changes);
  undo.set(key, { ids: [...(undo.get(key)?.ids ?? []), after.id], changes });
}
