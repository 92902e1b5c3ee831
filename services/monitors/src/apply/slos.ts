import type { AppliedKind } from "@sonde/domain/managed/apply";
import { type ConfigIds, missing } from "@sonde/domain/managed/ids";
import { sloDefaults, type SloInput } from "@sonde/proto/http/slos";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import type { StoredSlo } from "../slos/slo.ts";
import { addSlo, changedFields, changeSlo, refuseExpired, removeSlo } from "../slos/slos.ts";
import { inputOf } from "../slos/store.ts";

type WrittenSlo = Partial<Omit<SloInput, "targets" | "policyId"> & { targets: string[]; policy: string }>;

const nameOf = ({ key, fields }: ConfigLine) => (fields["name"] as string | undefined) ?? key;

export function slosOf(ctx: Context, ids: ConfigIds): AppliedKind<StoredSlo, SloInput> {
  const nowMs = ctx.clock.now();
  return {
    kind: "slo",
    find: async (trx, wanted) => {
      const rows = await trx("slos")
        .whereRaw("id = any(?::int[])", [[...wanted]])
        .select<StoredSlo[]>();
      return new Map(rows.map((row) => [row.id, row]));
    },
    findAlike: async (trx, lines) => {
      const names = lines.map(nameOf);
      const rows = await trx("slos").whereRaw("name = any(?::text[])", [names]).orderBy("id").select<StoredSlo[]>();
      return (line) => rows.flatMap(({ id, name }) => (name === nameOf(line) ? [{ id, name, hasName: true }] : []));
    },
    plan: async (line, stored, dropped) => {
      const before = stored && inputOf(stored);
      const next = inputIn(line, before, dropped, ids);
      await refuseExpired(ctx, next);
      const changed = before === null ? [] : changedFields(before, patchTo(next));
      const shown = (input: SloInput | null, field: keyof SloInput) =>
        field === "policyId" && input?.policyId ? ids.keyOf("policy", input.policyId) : input?.[field];
      const changes = changed.map((field) => ({
        path: field === "policyId" ? "policy" : field,
        from: shown(before, field),
        to: shown(next, field),
      }));
      return { next, changes };
    },
    write: async (trx, written) => {
      const made = new Map<string, number>();
      for (const { line, id, before, next } of written) {
        if (before !== null) await changeSlo(trx, id, patchTo(next), nowMs, true);
        else made.set(line.key, (await addSlo(trx, next, nowMs)).id);
      }
      return made;
    },
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeSlo(trx, id, nowMs, true);
    },
  };
}

/** Removes what the document does not have. */
const patchTo = (next: SloInput) => ({
  ...next,
  targets: next.targets ?? null,
  tag: next.tag ?? null,
  latency: next.latency ?? null,
  policyId: next.policyId ?? null,
});

/** Fields that the document omits stay as they are, or have their defaults. */
function inputIn(line: ConfigLine, before: SloInput | null, dropped: readonly string[], ids: ConfigIds): SloInput {
  const { targets, policy, ...fields } = line.fields as WrittenSlo;
  const kept = Object.entries(before ?? {}).filter(
    ([field]) => !dropped.includes(field === "policyId" ? "policy" : field),
  );
  const input = { ...sloDefaults, name: line.key, ...Object.fromEntries(kept), ...fields } as SloInput;
  if (fields.tag !== undefined) delete input.targets;
  if (targets !== undefined) {
    delete input.tag;
    const found = targets.map((text, at) => ids.target(text, `targets.${at}`).id);
    // Without a source, unresolved references are dropped.
    input.targets = found.filter((id) => id !== 0).map((id) => ({ type: "monitor", id }));
    if (input.targets.length === 0) throw missing(targets.join(", ").slice(0, 200), "targets");
  }
  if (policy !== undefined) {
    const id = ids.get("policy", policy);
    if (id === undefined) throw missing(`policies.${policy}`, "policy");
    input.policyId = id || undefined;
  }
  return input;
}
