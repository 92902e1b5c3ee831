import type { Database } from "@sonde/kit/postgres/database";
import type { PolicyInput } from "@sonde/proto/http/on-call/policies";

export type Policy = PolicyInput & { id: number };
export type PolicyRow = { id: number; name: string; value: Omit<PolicyInput, "name"> };

export const policyOf = ({ id, name, value }: PolicyRow): Policy => ({ ...value, id, name });

export async function readPolicies(db: Database, ids: readonly number[]): Promise<Map<number, Policy>> {
  const rows = await db<PolicyRow>("policies")
    .whereRaw("id = any(?::int[])", [[...new Set(ids)]])
    .select("id", "name", "value");
  return new Map(rows.map((row) => [row.id, policyOf(row)]));
}
