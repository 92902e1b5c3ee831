import type { AppliedKind } from "@sonde/domain/managed/apply";
import type { ConfigIds } from "@sonde/domain/managed/ids";
import { impossible } from "@sonde/kit/errors";
import type { Layer, ScheduleInput } from "@sonde/proto/http/on-call/schedules";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import { changedScheduleFields, createSchedule, removeSchedule, updateSchedule } from "../on-call/schedules.ts";
import type { StoredSchedule } from "../on-call/store.ts";

type WrittenLayer = Omit<Layer, "members"> & { members: string[] };

export function schedulesOf(ctx: Context, ids: ConfigIds): AppliedKind<ScheduleInput, ScheduleInput> {
  const nameOf = ({ key, fields }: ConfigLine) => (fields["name"] as string | undefined) ?? key;
  return {
    kind: "schedule",
    find: async (trx, wanted) => {
      const rows = await trx<StoredSchedule>("schedules").whereRaw("id = any(?::int[])", [[...wanted]]);
      return new Map(rows.map(({ id, name, value }) => [id, { name, ...value }]));
    },
    findAlike: async (trx, lines) => {
      const there = await trx("schedules")
        .whereRaw("name = any(?::text[])", [lines.map(nameOf)])
        .orderBy("id")
        .select<{ id: number; name: string }[]>("id", "name");
      return (line) => there.filter(({ name }) => name === nameOf(line)).map((row) => ({ ...row, hasName: true }));
    },
    plan: async (line, before, dropped) => {
      const { timeZone, layers } = line.fields as { timeZone: string; layers: WrittenLayer[] };
      // Without a name in the document, the existing name stays.
      const keepsName = before !== null && !("name" in line.fields) && !dropped.includes("name");
      const next = {
        name: keepsName ? before.name : nameOf(line),
        timeZone,
        layers: withIds(layers, ids),
      };
      const changed = before === null ? [] : changedScheduleFields(before, next);
      return { next, changes: changed.map((path) => ({ path, from: before?.[path], to: next[path] })) };
    },
    write: async (trx, written) => {
      const made = new Map<string, number>();
      for (const { line, id, before, next } of written) {
        if (before !== null) await updateSchedule({ ...ctx, db: trx }, id, next, true);
        else made.set(line.key, (await createSchedule({ ...ctx, db: trx }, next)).id);
      }
      return made;
    },
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeSchedule({ ...ctx, db: trx }, id, true);
    },
  };
}

/** @throws AppError `impossible`, naming each member who does not exist */
function withIds(layers: readonly WrittenLayer[], ids: ConfigIds): Layer[] {
  const faults = layers.flatMap(({ members }, layer) =>
    members.flatMap((name, member) =>
      ids.get("user", name) === undefined
        ? [
            {
              path: `layers.${layer}.members.${member}`,
              message: "There is no user named {name}" as const,
              params: { name },
            },
          ]
        : [],
    ),
  );
  if (faults.length > 0) throw impossible(faults);
  return layers.map((layer) => ({ ...layer, members: layer.members.map((name) => ids.get("user", name)!) }));
}
