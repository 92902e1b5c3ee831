import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import { dependsOn, type TargetRef } from "@sonde/proto/http/monitors/targets";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import * as z from "zod";
import { isLoopback, withoutMapping } from "@sonde/kit/addresses";
import { invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { IncidentTargets } from "./store.ts";

const shape = z.object({ dependsOn });

/**
 * Does not check whether dependencies exist or form a cycle, since no service knows all targets.
 * @throws AppError invalid for the target itself, too many, or a malformed target
 */
export function readDependsOn(
  given: readonly { type: string; id: number }[],
  self?: Pick<TargetRef, "type" | "id">,
): TargetRef[] {
  const parsed = shape.safeParse({ dependsOn: given.map(({ type, id }) => ({ type, id })) });
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  const index = given.findIndex(({ type, id }) => type === self?.type && id === self.id);
  if (index >= 0) throw invalid([{ path: `dependsOn.${index}`, message: "It cannot depend on itself" }]);
  return parsed.data.dependsOn;
}

/** Each has at most ten dependencies, so this many fit in one bus message. */
const atOnce = 4_000;

/** Ascending by target id. Omits deleted targets and those without dependencies. */
export async function listDependencies(
  db: Database,
  { table }: IncidentTargets,
  { afterId }: { afterId: number },
): Promise<{ dependencies: { targetId: number; dependsOn: TargetRef[] }[]; more: boolean }> {
  const rows = await db(table)
    .whereNull("deleted_at_ms")
    .whereRaw("depends_on <> '[]' and id > ?::bigint", [afterId])
    .orderBy("id")
    .limit(atOnce + 1)
    .select<{ targetId: number; dependsOn: TargetRef[] }[]>("id as targetId", "depends_on as dependsOn");
  return { dependencies: rows.slice(0, atOnce), more: rows.length > atOnce };
}

/** Only for targets of the same service. Rows locked by another transaction are left for the next run. */
export async function dropDeletedDependencies(db: Database, { table, type }: IncidentTargets): Promise<void> {
  const existsSql = `exists (
    select from ${table} own where own.id = (ref->>'id')::bigint and own.deleted_at_ms is null
  )`;
  await db.raw(
    `update ${table} set depends_on = (
       select coalesce(jsonb_agg(ref order by place), '[]')
       from jsonb_array_elements(depends_on) with ordinality as refs(ref, place)
       where ref->>'type' <> :type or ${existsSql}
     )
     where id in (
       select child.id from ${table} child
       where child.depends_on <> '[]' and child.deleted_at_ms is null and exists (
         select from jsonb_array_elements(child.depends_on) ref where ref->>'type' = :type and not ${existsSql}
       )
       order by child.id for update skip locked
     )`,
    { type },
  );
}

/** Normalises names and addresses to match monitors with agents; drops those that every machine has. */
export function machineHosts(hosts: readonly string[]): string[] {
  const known = hosts.flatMap((host) => {
    const name = canonicalHost(withoutMapping(host.trim()).replace(/\.$/, "")) ?? "";
    return name === "" || name.endsWith(".localhost") || isLoopback(name) ? [] : [name];
  });
  return [...new Set(known)];
}
