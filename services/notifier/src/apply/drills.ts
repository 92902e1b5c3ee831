import type { AppliedKind } from "@sonde/domain/managed/apply";
import type { ConfigIds } from "@sonde/domain/managed/ids";
import type { Context } from "../context.ts";
import type { DrillRow } from "../on-call/drills/ticks.ts";
import { deleteDrill, saveRecurring } from "../on-call/drills/drills.ts";
import { findRecipient, resolved } from "./policies.ts";

type WrittenDrill = Pick<DrillRow, "target"> & { schedule: NonNullable<DrillRow["schedule"]> };

/** Recurring drills. They match by target, and a run that has started continues when its drill is removed. */
export function drillsOf({ clock }: Context, ids: ConfigIds): AppliedKind<DrillRow, WrittenDrill> {
  return {
    kind: "drill",
    find: async (trx, wanted) => {
      const rows = await trx("drills")
        .whereRaw("id = any(?::int[])", [[...wanted]])
        .select<DrillRow[]>();
      return new Map(rows.map((row) => [row.id, row]));
    },
    findAlike: async (trx) => {
      const there = await trx("drills").whereNotNull("due_at_ms").orderBy("id").select<DrillRow[]>();
      return (line) => {
        const target = findRecipient((line.fields as WrittenDrill).target, ids);
        const same = there.filter((drill) => drill.target === target);
        return same.map(({ id, targetName }) => ({ id, name: targetName, hasName: true }));
      };
    },
    plan: async (line, before) => {
      const { target, schedule } = line.fields as WrittenDrill;
      const next = { target: resolved(target, ids, "target"), schedule };
      const fields = (["target", "schedule"] as const).filter(
        (field) => before !== null && before[field] !== next[field],
      );
      return { next, changes: fields.map((path) => ({ path, from: before?.[path], to: next[path] })) };
    },
    write: async (trx, written) => {
      const made = new Map<string, number>();
      for (const { line, id, before, next } of written) {
        const userName = (line.fields as WrittenDrill).target.replace("user:", "");
        const { id: saved } = await saveRecurring({ db: trx, clock }, before === null ? null : id, {
          ...next,
          userName,
        });
        if (before === null) made.set(line.key, saved);
      }
      return made;
    },
    remove: async (trx, removed) => {
      for (const { id } of removed) await deleteDrill(trx, id);
    },
  };
}
