import { AppError } from "@sonde/kit/errors";
import type { AppliedKind } from "@sonde/domain/managed/apply";
import type { ConfigIds } from "@sonde/domain/managed/ids";
import type { maintenanceInput } from "@sonde/proto/http/status/maintenance";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { z } from "zod";
import type { Context } from "../context.ts";
import {
  changedFields,
  checkSchedule,
  checkTargetCount,
  newFields,
  requireAhead,
  windowChanges,
} from "../maintenance/fields.ts";
import { addWindow, changeWindow, removeWindow } from "../maintenance/maintenance.ts";
import { taggedBy } from "../maintenance/tags.ts";
import { lockWindow, type Window, type WindowFields } from "../maintenance/store.ts";
import { idsOf } from "../collect/targets.ts";

type Input = z.output<typeof maintenanceInput>;
const defaults = { note: "", tags: [], timeZone: "UTC", rrule: "", public: true };

/** Maintenance windows of documents. A window that would already be over is not created. */
export function maintenanceOf(ctx: Context, ids: ConfigIds): AppliedKind<Window, WindowFields> {
  const nowMs = ctx.clock.now();
  const nameOf = ({ key, fields }: ConfigLine) => (typeof fields["name"] === "string" ? fields["name"] : key);
  const windows = (trx: Context["db"]) =>
    trx("windows").where({ isSilence: false }).whereNull("deleted_at_ms").orderBy("id");
  /** Converts an entry to the body of `POST` (`PUT` if the window exists). */
  const inputOf = (line: ConfigLine, dropped: readonly string[]): Partial<Input> => {
    const { targets, ...fields } = line.fields;
    const named = ((targets ?? []) as string[]).map((text, at) => ids.target(text, `targets.${at}`));
    const cleared = dropped.map((field) => [field, { ...defaults, name: line.key }[field]]);
    return {
      ...Object.fromEntries(cleared),
      ...fields,
      monitors: idsOf(named, "monitor"),
      agents: idsOf(named, "agent"),
    } as Partial<Input>;
  };
  // While planning, because writing holds locks, and errors of a plan name the entry.
  const withTagged = async (fields: WindowFields) => ({ ...fields, ...(await taggedBy(ctx.sources, fields.tags)) });
  return {
    kind: "maintenance",
    find: async (trx, wanted) => {
      const rows = await windows(trx)
        .whereRaw("id = any(?::int[])", [[...wanted]])
        .select<Window[]>();
      return new Map(rows.map((row) => [row.id, row]));
    },
    findAlike: async (trx, lines) => {
      const there = await windows(trx)
        .whereRaw("name = any(?::text[])", [lines.map(nameOf)])
        .select<Window[]>();
      return (line) =>
        there.filter(({ name }) => name === nameOf(line)).map(({ id, name }) => ({ id, name, hasName: true }));
    },
    plan: async (line, before, dropped) => {
      const given = inputOf(line, dropped);
      if (before !== null) {
        const fields = changedFields(before, given);
        checkTargetCount(fields);
        const changes = windowChanges(before, fields, ids.keyOf);
        if (changes.length === 0) return { next: fields, changes };
        checkSchedule(fields, before, nowMs);
        return { next: await withTagged(fields), changes };
      }
      const fields = newFields({ name: line.key, ...defaults, ...given } as Input);
      const schedule = checkSchedule(fields, fields, nowMs);
      checkTargetCount(fields);
      return isAhead(schedule, nowMs) ? { next: await withTagged(fields), changes: [] } : null;
    },
    write: async (trx, written) => {
      const made = new Map<string, number>();
      for (const { line, id, before, dropped, next } of written) {
        if (before === null) made.set(line.key, await addWindow(trx, next, checkSchedule(next, null, nowMs), nowMs));
        else {
          const { taggedMonitorIds, taggedAgentIds } = next;
          const locked = (await lockWindow(trx, id)) ?? before;
          const fields = { ...changedFields(locked, inputOf(line, dropped)), taggedMonitorIds, taggedAgentIds };
          await changeWindow(trx, { id, before: locked, fields }, nowMs);
        }
      }
      return made;
    },
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeWindow(trx, id, nowMs);
    },
  };
}

function isAhead(schedule: Parameters<typeof requireAhead>[0], nowMs: number): boolean {
  try {
    requireAhead(schedule, nowMs);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError) return false;
    throw thrown;
  }
}
