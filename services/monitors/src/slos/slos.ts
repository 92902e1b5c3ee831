import { record } from "@sonde/domain/audit";
import { ownersOf, refuseOwned } from "@sonde/domain/managed/table";
import { AppError, type FieldFault, impossible, toAppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import { hasSloScope, maxSlos, type Slo, type SloInput, type SloPatch } from "@sonde/proto/http/slos";
import { explain } from "@sonde/proto/http/reasons/reasons";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { closeBurn } from "./incidents.ts";
import { readFigures } from "./read.ts";
import type { StoredSlo } from "./slo.ts";
import { findSlo, findSlos, inputOf, insertSlo, loadTargets, openBurns, updateSloRow } from "./store.ts";
import { windowOf } from "./windows.ts";

export type SloContext = Pick<Context, "db" | "clock" | "slots" | "countSlots" | "nudge">;
type Input<Name extends keyof (typeof monitorsContract)["methods"]> = z.output<
  (typeof monitorsContract)["methods"][Name]["input"]
>;
type Language = Input<"getSlo">["language"];

export async function listSlos(
  ctx: SloContext,
  { page, pageSize, search, sort = "name", language }: Input<"listSlos">,
) {
  const all = await findSlos(ctx.db, search);
  const isDescending = sort.startsWith("-");
  const first = (page - 1) * pageSize;
  const pageOf = <Item>(items: readonly Item[]) => items.slice(first, first + pageSize);
  if (!sort.endsWith("leftMinutes")) {
    const rows = pageOf(isDescending ? all.toReversed() : all);
    return { ...(await present(ctx, rows, language)), total: all.length };
  }
  // At most 1,000 service levels, whose figures are in memory.
  const { slos, ...rest } = await present(ctx, all, language);
  return {
    slos: pageOf(sortByNumber(slos, ({ budget }) => budget?.leftMinutes ?? null, isDescending)),
    total: all.length,
    ...rest,
  };
}

/** @throws AppError not_found */
export const getSlo = async (ctx: SloContext, { id, language }: Input<"getSlo">): Promise<Slo> =>
  presentOne(ctx, await findSlo(ctx.db, id), language);

/** @throws AppError impossible for an unknown monitor, a window before the retention, and too many */
export async function createSlo(ctx: SloContext, { language, ...input }: Input<"createSlo">): Promise<Slo> {
  await refuseExpired(ctx, input);
  const made = await ctx.db.transaction((trx) => addSlo(trx, input, ctx.clock.now()));
  ctx.nudge();
  return presentOne(ctx, made, language);
}

/** @throws AppError as `createSlo`, not_found, or conflict if a source owns a changed field */
export async function updateSlo(ctx: SloContext, { id, language, ...patch }: Input<"updateSlo">): Promise<Slo> {
  await refuseExpired(ctx, { ...inputOf(await findSlo(ctx.db, id)), ...(patch.window && { window: patch.window }) });
  const updated = await ctx.db.transaction((trx) => changeSlo(trx, id, patch, ctx.clock.now()));
  ctx.nudge();
  return presentOne(ctx, updated, language);
}

/** @throws AppError not_found, or conflict if a source owns it */
export async function deleteSlo({ db, clock, nudge }: SloContext, { id }: { id: number }) {
  await db.transaction((trx) => removeSlo(trx, id, clock.now()));
  nudge();
  return {};
}

const kind = "slo";

export async function addSlo(trx: Database, input: SloInput, nowMs: number): Promise<StoredSlo> {
  // Serialises concurrent additions, which would all find room for one more.
  await trx.raw("lock table slos in share row exclusive mode");
  const [counted] = await trx("slos").count<{ count: number }[]>("* as count");
  if (Number(counted?.count ?? 0) >= maxSlos)
    throw new AppError("impossible", "At most {max} service levels are allowed", { params: { max: maxSlos } });
  await refuseMissing(trx, input);
  const made = await insertSlo(trx, input, nowMs);
  await record(trx, "monitors", {
    action: "create",
    target: { type: kind, id: made.id, name: made.name },
    after: input,
  });
  return made;
}

/** Changes the given fields, and closes the incident: its alert was about the service level before. */
export async function changeSlo(
  trx: Database,
  id: number,
  patch: SloPatch,
  nowMs: number,
  isOwner = false,
): Promise<StoredSlo> {
  const row = await findSlo(trx, id, true);
  const before = inputOf(row);
  const changed = changedFields(before, patch);
  if (!isOwner)
    await refuseOwned(trx, { kind, id, name: row.name }, () =>
      changed.map((field) => (field === "policyId" ? "policy" : field)),
    );
  const after: SloInput = {
    ...before,
    ...Object.fromEntries(changed.map((field) => [field, patch[field] ?? undefined])),
  };
  if (!hasSloScope(after)) throw impossible([{ path: "targets", message: "Choose either monitors or a tag" }]);
  if (changed.length === 0) return row;
  await refuseMissing(trx, after);
  await closeBurn(trx, row, "edited", nowMs);
  const updated = await updateSloRow(trx, id, after, nowMs);
  await record(trx, "monitors", { action: "update", target: { type: kind, id, name: updated.name }, before, after });
  return updated;
}

/** Returns the fields that a patch changes; `null` removes one. */
export const changedFields = (before: SloInput, patch: SloPatch) =>
  (Object.keys(patch) as (keyof SloPatch)[]).filter(
    (field) => patch[field] !== undefined && !isDeepStrictEqual(before[field], patch[field] ?? undefined),
  );

export async function removeSlo(trx: Database, id: number, nowMs: number, isOwner = false): Promise<void> {
  const row = await findSlo(trx, id, true);
  if (!isOwner) await refuseOwned(trx, { kind, id, name: row.name }, null);
  await closeBurn(trx, row, "edited", nowMs);
  await trx("slos").where({ id }).delete();
  await record(trx, "monitors", { action: "delete", target: { type: kind, id, name: row.name }, before: inputOf(row) });
}

async function refuseMissing(trx: Database, { targets = [] }: SloInput): Promise<void> {
  const rows = await trx("monitors")
    .whereNull("deletedAtMs")
    .whereRaw("id = any(?::bigint[])", [targets.map(({ id }) => id)])
    .select<{ id: number; isGroup: boolean }[]>("id", trx.raw(`config->>'type' = 'group' as "isGroup"`));
  const groups = new Map(rows.map(({ id, isGroup }) => [id, isGroup]));
  const faults = targets.flatMap(({ id }, at): FieldFault[] => {
    const path = `targets.${at}.id`;
    if (!groups.has(id)) return [{ path, message: "There is no monitor with ID {id}", params: { id } }];
    return groups.get(id) ? [{ path, message: "A group has no checks of its own: choose its members" }] : [];
  });
  if (faults.length > 0) throw impossible(faults.slice(0, 50));
}

/** All retentions include a month. */
export async function refuseExpired(
  { countSlots, clock }: Pick<SloContext, "countSlots" | "clock">,
  slo: Pick<SloInput, "window" | "timeZone">,
) {
  if (slo.window !== "90d") return;
  const nowMs = Math.floor(clock.now());
  try {
    await countSlots({ monitorIds: [], edges: [windowOf(slo, nowMs).fromMs, nowMs] });
  } catch (thrown) {
    const { code, details } = toAppError(thrown);
    const [fault] = details;
    if (code !== "invalid" || fault === undefined) throw thrown;
    throw impossible([{ ...fault, path: "window" }]);
  }
}

async function presentOne(ctx: SloContext, row: StoredSlo, language: Language): Promise<Slo> {
  return (await present(ctx, [row], language)).slos[0]!;
}

/** Without figures while metrics is unavailable. */
async function present(ctx: SloContext, rows: readonly StoredSlo[], language: Language) {
  const { db, slots, clock } = ctx;
  const nowMs = Math.floor(clock.now());
  const [targetsOf, open, owners] = await Promise.all([
    loadTargets(db, rows),
    openBurns(db),
    ownersOf(
      db,
      kind,
      rows.map(({ id }) => id),
    ),
  ]);
  const figures = await readFigures(slots, rows, targetsOf, nowMs).catch((thrown: unknown) => {
    if (toAppError(thrown).code !== "unavailable") throw thrown;
    return null;
  });
  const shown = rows.map((row): Slo => {
    const { latencySentence: _sentence, ...known } = figures?.get(row.id) ?? {};
    const { targets, ...content } = inputOf(row);
    return {
      id: row.id,
      ...content,
      targets: targets && targetsOf(row).map(({ id, name }) => ({ type: "monitor" as const, id, name })),
      ...known,
      sentence: known.sentence && explain(known.sentence, language),
      incidentId: open.get(row.id),
      managed: owners.get(row.id),
      createdAt: new Date(row.createdAtMs).toISOString(),
      updatedAt: new Date(row.updatedAtMs).toISOString(),
    };
  });
  return { slos: shown, ...(figures === null && { unavailable: ["metrics" as const] }) };
}
