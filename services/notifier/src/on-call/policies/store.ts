import type { Database } from "@sonde/kit/postgres/database";
import { maxPolicies, type PolicyInput } from "@sonde/proto/http/on-call/policies";
import type { NamedKind, NamedRow } from "../named.ts";

export const policyKind: NamedKind<PolicyInput> = {
  kind: "policy",
  table: "policies",
  fields: ["name", "steps", "repeat", "lowUrgency"],
  max: maxPolicies,
  missing: "Escalation policy does not exist",
  full: "The limit of {max} escalation policies has been reached: delete one first",
};
export type Policy = PolicyInput & { id: number };
export type PolicyRow = NamedRow<PolicyInput>;

export const policyOf = ({ id, name, value }: PolicyRow): Policy => ({ ...value, id, name });

export async function readPolicies(db: Database, ids: readonly number[]): Promise<Map<number, Policy>> {
  const rows = await db<PolicyRow>("policies").whereRaw("id = any(?::int[])", [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, policyOf(row)]));
}
