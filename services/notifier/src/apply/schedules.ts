import type { AppliedKind } from "@sonde/domain/managed/apply";
import type { ConfigIds } from "@sonde/domain/managed/ids";
import { type FieldFault, impossible } from "@sonde/kit/errors";
import type { Layer, ScheduleInput } from "@sonde/proto/http/on-call/schedules";
import type { Context } from "../context.ts";
import { changedFields } from "../on-call/named.ts";
import { createSchedule, removeSchedule, updateSchedule } from "../on-call/schedules/schedules.ts";
import { scheduleKind, type StoredSchedule } from "../on-call/schedules/store.ts";
import { alikeByName, nameOf, writeEach } from "./named.ts";

/** An import leaves out users who do not exist here. */
type Given = { ids: ConfigIds; isImport: boolean };
type WrittenLayer = Omit<Layer, "members"> & { members: string[] };

export const schedulesOf = (ctx: Context, given: Given): AppliedKind<ScheduleInput, ScheduleInput> => ({
  kind: "schedule",
  find: async (trx, wanted) => {
    const rows = await trx<StoredSchedule>("schedules").whereRaw("id = any(?::int[])", [[...wanted]]);
    return new Map(rows.map(({ id, name, value }) => [id, { name, ...value }]));
  },
  findAlike: alikeByName("schedules"),
  plan: async (line, before, dropped) => {
    const { timeZone, layers } = line.fields as { timeZone: string; layers: WrittenLayer[] };
    const next = { name: nameOf(line, before, dropped), timeZone, layers: withIds(layers, given) };
    const changed = before === null ? [] : changedFields(scheduleKind, before, next);
    return { next, changes: changed.map((path) => ({ path, from: before?.[path], to: next[path] })) };
  },
  write: (trx, written) =>
    writeEach(
      written,
      async (next) => (await createSchedule({ ...ctx, db: trx }, next)).id,
      (id, next) => updateSchedule({ ...ctx, db: trx }, id, next, true),
    ),
  remove: async (trx, removed) => {
    for (const { id } of removed) await removeSchedule({ ...ctx, db: trx }, id, true);
  },
});

/** @throws AppError `impossible`, naming each member who does not exist */
function withIds(layers: readonly WrittenLayer[], { ids, isImport }: Given): Layer[] {
  const faults = layers.flatMap(({ members }, layer) =>
    members.flatMap((name, member): FieldFault[] => {
      if (ids.get("user", name) !== undefined) return [];
      return [
        { path: `layers.${layer}.members.${member}`, message: "There is no user named {name}", params: { name } },
      ];
    }),
  );
  const staffed = layers
    .map((layer) => ({ ...layer, members: layer.members.flatMap((name) => ids.get("user", name) ?? []) }))
    .filter(({ members }) => members.length > 0);
  if (faults.length > 0 && (!isImport || staffed.length === 0)) throw impossible(faults);
  return staffed;
}
