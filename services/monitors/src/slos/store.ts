import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { SloInput } from "@sonde/proto/http/slos";
import type { SloContent, SloTarget, StoredSlo } from "./slo.ts";

const columnsOf = (name: string, value: SloContent) => ({ name, value: JSON.stringify(value) });

export const contentOf = ({ name: _name, targets, ...rest }: SloInput): SloContent => ({
  ...rest,
  targets: targets?.map(({ id }) => id),
});

/** The fields as in the API. */
export const inputOf = ({ name, value: { targets, ...rest } }: Pick<StoredSlo, "name" | "value">): SloInput => ({
  name,
  ...rest,
  targets: targets?.map((id) => ({ type: "monitor" as const, id })),
});

/** @throws AppError not_found */
export async function findSlo(db: Database, id: number, isLocked = false): Promise<StoredSlo> {
  const query = db("slos").where({ id }).first<StoredSlo | undefined>();
  const row = await (isLocked ? query.forUpdate() : query);
  if (row === undefined) throw new AppError("not_found", "Service level does not exist");
  return row;
}

export async function insertSlo(trx: Database, { name, ...content }: SloInput, nowMs: number): Promise<StoredSlo> {
  const row = { ...columnsOf(name, contentOf({ name, ...content })), createdAtMs: nowMs, updatedAtMs: nowMs };
  const [made] = await trx("slos").insert(row).returning<StoredSlo[]>("*");
  return made!;
}

export async function updateSloRow(trx: Database, id: number, input: SloInput, nowMs: number): Promise<StoredSlo> {
  const row = { ...columnsOf(input.name, contentOf(input)), updatedAtMs: nowMs, burningUntilMs: null };
  const [updated] = await trx("slos").where({ id }).update(row).returning<StoredSlo[]>("*");
  return updated!;
}

/** By name. */
export const findSlos = (db: Database, search = ""): Promise<StoredSlo[]> =>
  db("slos")
    // PostgreSQL cannot store NUL in a text.
    .whereRaw("position(? in lower(name)) > 0", [search.replaceAll("\0", "").toLowerCase()])
    .orderByRaw("lower(name), id")
    .select<StoredSlo[]>();

export type TargetsOf = (slo: Pick<StoredSlo, "value">) => SloTarget[];

/** Loads the monitors that service levels count, in one query. Groups have no checks. */
export async function loadTargets(db: Database, slos: readonly Pick<StoredSlo, "value">[]): Promise<TargetsOf> {
  const ids = [...new Set(slos.flatMap(({ value }) => value.targets ?? []))];
  const tags = [...new Set(slos.flatMap(({ value }) => value.tag ?? []))];
  if (ids.length + tags.length === 0) return () => [];
  const rows = await db("monitors")
    .whereNull("deletedAtMs")
    .whereRaw("config->>'type' <> 'group' and (id = any(?::int[]) or tags && ?::text[])", [ids, tags])
    .orderBy("id")
    .select<(SloTarget & { tags: string[] })[]>("id", "name", "tags");
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wanted = new Set(tags);
  const byTag = new Map<string, SloTarget[]>();
  for (const row of rows)
    for (const tag of row.tags) if (wanted.has(tag)) byTag.set(tag, [...(byTag.get(tag) ?? []), row]);
  return ({ value }) =>
    value.tag === undefined ? (value.targets ?? []).flatMap((id) => byId.get(id) ?? []) : (byTag.get(value.tag) ?? []);
}

/** Ids of the open incidents (`m5`), by service level. */
export async function openBurns(db: Database): Promise<Map<number, string>> {
  const rows = await db("incidents")
    .where({ kind: "slo" })
    .whereNull("closedAtMs")
    .select<{ id: number; metric: string }[]>("id", "metric");
  return new Map(rows.map(({ id, metric }) => [Number(metric), `m${id}`]));
}

export async function keepBurning(db: Database, burning: readonly { id: number; untilMs: number }[]): Promise<void> {
  if (burning.length === 0) return;
  await db.raw(
    `update slos set burning_until_ms = given.until_ms
     from unnest(?::int[], ?::bigint[]) as given (id, until_ms) where slos.id = given.id`,
    [burning.map(({ id }) => id), burning.map(({ untilMs }) => Math.round(untilMs))],
  );
}
