import type { ManagedBy, ManagedKind } from "@sonde/proto/http/config/managed";
import type { ownedCounts } from "@sonde/proto/rpc/apply";
import type { ServiceName } from "@sonde/proto/services";
import { record } from "../audit.ts";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { z } from "zod";

export const managedMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table managed (
        kind text not null, key text not null, id integer not null,
        source text not null, fields text[] not null, place text not null default '', generation integer not null,
        primary key (kind, key), unique (kind, id)
      );
      create index managed_of_source on managed (source);
      create table sources (
        name text primary key, generation integer not null,
        released text[] not null default '{}', revision text, applied_at_ms bigint, applied_by text, outcome text, problem text
      );
    `),
};

/** The columns are the same whether or not the database handle maps case. */
export type ManagedRow = {
  kind: ManagedKind;
  key: string;
  id: number;
  source: string;
  fields: string[];
  place: string;
  generation: number;
};

export async function ownersOf(
  db: Database,
  kind: ManagedKind,
  ids: readonly number[],
): Promise<Map<number, ManagedBy>> {
  if (ids.length === 0) return new Map();
  const rows = await readOwners(db, kind, null, ids);
  return new Map(rows.map((row) => [row.id, presentOwner(row)]));
}

/** Everything that the source owns and the owners of these keys; without a source, the owners of these ids. */
export const readOwners = (
  db: Database,
  kind: ManagedKind,
  source: string | null,
  given: readonly (string | number)[],
): Promise<ManagedRow[]> => {
  const rows = db<ManagedRow>("managed").where({ kind }).orderBy("key");
  const values = JSON.stringify(given);
  return source === null
    ? rows.whereRaw("id in (select jsonb_array_elements(?::jsonb)::int)", [values]).select<ManagedRow[]>()
    : rows
        .whereRaw("(source = ? or key in (select jsonb_array_elements_text(?::jsonb)))", [source, values])
        .select<ManagedRow[]>();
};

export const presentOwner = ({ source, key, place, fields }: ManagedRow): ManagedBy => ({
  source,
  key,
  place: place || undefined,
  fields,
});

/**
 * Rejects a user's change to something that a source owns.
 * @param changed fields; `null` if the object is deleted
 * @throws AppError conflict with each owned field
 */
export async function refuseOwned(
  trx: Database,
  { kind, id, name }: { kind: ManagedKind; id: number; name: string },
  changed: (() => readonly string[]) | null,
): Promise<void> {
  refuseOwnedBy((await ownersOf(trx, kind, [id])).get(id), name, changed);
}

/** Like `refuseOwned`, for an owner that is already known. */
export function refuseOwnedBy(
  owner: ManagedBy | undefined,
  name: string,
  changed: (() => readonly string[]) | null,
): void {
  if (owner === undefined) return;
  const { source, place = "" } = owner;
  if (changed === null) {
    throw new AppError("conflict", "{name} is managed by {source}", { params: { name, source, place } });
  }
  const details = changed()
    .filter((field) => owner.fields.includes(field))
    .map((field) => ({
      path: field,
      message: "{field} is managed by {source}" as const,
      params: { field, source, place },
    }));
  const [first] = details;
  if (first !== undefined) throw new AppError("conflict", first.message, { params: first.params, details });
}

export async function saveOwners(trx: Database, rows: readonly ManagedRow[]): Promise<void> {
  if (rows.length === 0) return;
  // An object has one owner. A released object may be taken over under another key.
  await trx.raw(
    `delete from managed using jsonb_to_recordset(?::jsonb) as given (kind text, key text, id int)
     where managed.kind = given.kind and managed.id = given.id and managed.key <> given.key`,
    [JSON.stringify(rows)],
  );
  await trx.raw(
    `insert into managed (kind, key, id, source, fields, place, generation)
     select kind, key, id, source, fields, place, generation from jsonb_to_recordset(?::jsonb)
       as given (kind text, key text, id int, source text, fields text[], place text, generation int)
     on conflict (kind, key) do update set id = excluded.id, source = excluded.source, fields = excluded.fields,
       place = excluded.place, generation = excluded.generation`,
    [JSON.stringify(rows)],
  );
}

export async function forgetOwners(trx: Database, kind: ManagedKind, rows: readonly ManagedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx("managed")
    .where({ kind })
    .whereRaw("key = any(?::text[])", [rows.map(({ key }) => key)])
    .delete();
}

/** Releases everything of a source, which is then forgotten, or one object, to users. Returns the number of objects. */
export async function releaseOwned(
  db: Database,
  service: ServiceName,
  { source, kind, key }: { source: string; kind?: ManagedKind | undefined; key?: string | undefined },
): Promise<number> {
  const rows = await db.transaction(async (trx) => {
    const owned = trx<ManagedRow>("managed").where({ source, ...(kind && { kind }), ...(key && { key }) });
    const released = await owned.delete().returning(["kind", "key", "id"]);
    const forgotten = kind === undefined ? await trx("sources").where({ name: source }).delete() : 0;
    if (released.length + forgotten > 0) {
      const objects = released.map((row) => `${row.kind}:${row.key}:${row.id}`).sort();
      if (kind !== undefined) {
        const more = trx.raw("released || ?::text[]", [objects]);
        await trx("sources").where({ name: source }).update({ released: more });
      }
      const action = kind === undefined ? "delete" : "update";
      await record(trx, service, { action, target: { type: "source", id: source, name: source }, before: { objects } });
    }
    return released;
  });
  return rows.length;
}

export async function countOwned(db: Database): Promise<z.output<typeof ownedCounts>> {
  const [owned, released] = await Promise.all([
    db("managed")
      .groupBy("source", "kind")
      .select<z.output<typeof ownedCounts>["owned"]>("source", "kind", db.raw("count(*)::int as count")),
    db("sources").whereRaw("released <> '{}'").select<{ name: string; released: string[] }[]>("name", "released"),
  ]);
  return {
    owned,
    released: released.flatMap(({ name, released: objects }) =>
      objects.map((text) => {
        const [kind, key] = text.split(":") as [ManagedKind, string];
        return { source: name, kind, key };
      }),
    ),
  };
}

export async function idsOfKeys(
  db: Database,
  kind: ManagedKind,
  keys: readonly string[],
): Promise<Record<string, number>> {
  const rows = await db("managed")
    .where({ kind })
    .whereRaw("key = any(?::text[])", [[...keys]])
    .select<ManagedRow[]>("key", "id");
  return Object.fromEntries(rows.map(({ key, id }) => [key, id]));
}

/** By kind and key (`monitor:shop`), since the source's last document. */
export async function releasedOf(trx: Database, source: string): Promise<Map<string, number>> {
  const row = await trx("sources").where({ name: source }).first<{ released: string[] } | undefined>("released");
  return new Map((row?.released ?? []).map((text) => [text.replace(/:\d+$/, ""), Number(/\d+$/.exec(text)?.[0])]));
}

/**
 * Starts a part of a generation; older ones are rejected from now on. Serialises the parts of a source.
 * @throws AppError conflict if a newer generation has started
 */
export async function takeGeneration(trx: Database, name: string, generation: number): Promise<void> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `insert into sources (name, generation) values (?, ?)
     on conflict (name) do update set generation = excluded.generation, released = '{}'
     where sources.generation <= excluded.generation returning name`,
    [name, generation],
  );
  if (rows.length > 0) return;
  const newest = await trx("sources").where({ name }).first<{ generation: number } | undefined>("generation");
  const params = { generation: newest?.generation ?? generation };
  throw new AppError("conflict", "Superseded by generation {generation}", { params });
}
