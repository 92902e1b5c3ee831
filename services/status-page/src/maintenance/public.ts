import type { PublicMaintenance } from "@sonde/proto/http/status/status";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { setImmediate } from "node:timers/promises";
import { render } from "../announcements/rendering.ts";
import type { Context } from "../context.ts";
import { publicOccurrences, type PublicOccurrence } from "./public-store.ts";

type Shown = readonly { type: TargetType; id: number }[];
/** The page's name of a target; null: it does not show it. */
type Names = { of(type: TargetType, id: number): string | null };

const idsOf = (shown: Shown, wanted: TargetType) => shown.flatMap(({ type, id }) => (type === wanted ? [id] : []));

/**
 * The maintenance that the page shows: running, then ahead within 31 days, then past within 14, of public windows, with
 * only their targets on the page. At most 50, and of one window at most five of each.
 */
export async function publicMaintenance(
  { db }: Pick<Context, "db">,
  shown: Shown,
  names: Names,
  nowMs: number,
): Promise<PublicMaintenance[]> {
  const targets = { monitorIds: idsOf(shown, "monitor"), agentIds: idsOf(shown, "agent") };
  const found = await publicOccurrences(db, targets, nowMs);
  const notes = await renderAll(found.map(({ note }) => note));
  const isShown = new Set(shown.map(({ type, id }) => `${type}:${id}`));
  const named = ({ monitorIds, agentIds }: PublicOccurrence) =>
    [
      ...monitorIds.map((id) => ({ type: "monitor" as const, id })),
      ...agentIds.map((id) => ({ type: "agent" as const, id })),
    ].flatMap(({ type, id }) => {
      const name = isShown.has(`${type}:${id}`) ? names.of(type, id) : null;
      return name === null ? [] : [{ type, id, name }];
    });
  const told = found.map((one): PublicMaintenance => ({
    id: one.windowId,
    name: one.name,
    ...(one.note === "" ? {} : { note: { text: one.note, html: notes.get(one.note) ?? "" } }),
    status: one.status,
    start: new Date(one.fromMs).toISOString(),
    end: new Date(one.toMs).toISOString(),
    timeZone: one.timeZone,
    targets: named(one),
    createdAt: new Date(one.createdAtMs).toISOString(),
    updatedAt: new Date(one.updatedAtMs).toISOString(),
  }));
  // Covered targets may have been deleted since.
  return told.filter((one) => one.targets.length > 0);
}

/** Each text once, one after the other: a note takes some milliseconds. */
async function renderAll(texts: readonly string[]): Promise<Map<string, string>> {
  const rendered = new Map<string, string>();
  for (const text of new Set(texts)) {
    rendered.set(text, await render(text));
    await setImmediate();
  }
  return rendered;
}
