import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListDependenciesRequest, ListDependenciesResponseSchema } from "@sonde/proto/gen/incidents/v1/incidents";
import type { TargetRef } from "@sonde/proto/http/targets";
import type { Database } from "../postgres/database.ts";
import type { Targets } from "./store.ts";

/** Each names ten others at most, so that so many fit into one message of the bus. */
const atOnce = 4_000;

/** Which targets depend on what, by rising id; those that depend on nothing, and deleted ones, are left out. */
export async function listDependencies(
  db: Database,
  { table }: Targets,
  { afterId }: Pick<ListDependenciesRequest, "afterId">,
): Promise<MessageInitShape<typeof ListDependenciesResponseSchema>> {
  const rows = await db(table)
    .whereNull("deleted_at_ms")
    .whereRaw("depends_on <> '[]' and id > ?::bigint", [afterId])
    .orderBy("id")
    .limit(atOnce + 1)
    .select<{ id: number; depends_on: TargetRef[] }[]>("id", "depends_on");
  const dependencies = rows.slice(0, atOnce).map(({ id, depends_on: dependsOn }) => ({ targetId: id, dependsOn }));
  return { dependencies, more: rows.length > atOnce };
}
