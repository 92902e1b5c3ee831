import type { Database } from "@sonde/kit/postgres/database";
import { isDeepStrictEqual } from "node:util";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { refuseCircles } from "./rules.ts";
import { noteChanges, removeMembers } from "./store.ts";

type Written = { before: StoredMonitor | null; monitor: StoredMonitor };

/** Groups are decided again if a member, or the group itself, was written. @throws AppError impossible */
export async function noteWritten(trx: Database, written: readonly Written[], atMs: number): Promise<void> {
  const isGroup = ({ monitor }: Written) => monitor.config.type === "group";
  const changed = written.filter(
    (one) =>
      isGroup(one) ||
      one.before?.status !== one.monitor.status ||
      !isDeepStrictEqual(one.before.tags, one.monitor.tags),
  );
  await noteChanges(
    trx,
    changed.map(({ before, monitor: { id, status, tags } }) => {
      const all = [...(before?.tags ?? []), ...tags];
      return { monitorId: id, atMs, previous: before?.status ?? "pending", status, tags: all };
    }),
  );
  if (changed.some(isGroup)) await refuseCircles(trx);
}

/** Removes deleted monitors from their groups. */
export async function noteRemoved(trx: Database, removed: readonly StoredMonitor[], atMs: number): Promise<void> {
  const groups = await removeMembers(
    trx,
    removed.map(({ id }) => id),
  );
  await noteChanges(trx, [
    ...removed.map(({ id, status, tags }) => {
      return { monitorId: id, atMs, previous: status, status: "deleted" as const, tags };
    }),
    ...groups.map(({ id, status }) => ({ monitorId: id, atMs, previous: status, status, tags: [] })),
  ]);
}
