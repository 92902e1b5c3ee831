import type { MaintenanceOccurrence, occurrencesQuery } from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { isoInstant } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import { readRule } from "./rule.ts";
import { dayMs, maxMs, occurrencesAfter, occurrencesBetween, type TimeSpan } from "./schedule.ts";
import type { Window } from "./store.ts";

const maxUpcoming = 3;
const maxOccurrences = 2_000;
/** Rules are followed this far. */
const furthestMs = 731 * dayMs;

/** Returns the running occurrence and the next ones. @param stored the first ones of the table */
export function upcomingOf(window: Window, stored: readonly TimeSpan[]): TimeSpan[] {
  const found = [...stored];
  const schedule = { ...window, rule: readRule(window.rrule) };
  for (let last = found.at(-1); last !== undefined && found.length < maxUpcoming; last = found.at(-1)) {
    const next = occurrencesAfter(schedule, last.fromMs, last.fromMs + maxMs);
    if (next.length === 0) break;
    found.push(...next);
  }
  return found.slice(0, maxUpcoming);
}

type Named = TimeSpan & { id: number; name: string };

/** Lists the occurrences of a period: stored ones, then those of the rules. One that was split by a change of targets is whole. */
export async function listOccurrences(
  { db, clock }: Pick<Context, "db" | "clock">,
  { from, until }: z.output<typeof occurrencesQuery>,
): Promise<{ occurrences: MaintenanceOccurrence[]; more: boolean }> {
  const [fromMs, toMs] = [Date.parse(from), Math.min(Date.parse(until), clock.now() + furthestMs)];
  const windows = db("windows").where({ isSilence: false }).whereNull("deletedAtMs");
  const stored = await db("occurrences")
    .join(windows.clone().as("planned"), "planned.id", "windowId")
    .where("toMs", ">", fromMs)
    .where("fromMs", "<", toMs)
    .orderBy(["fromMs", "windowId"])
    .limit(maxOccurrences + 1)
    .select<Named[]>("planned.id", "name", "fromMs", "toMs");
  const later = (await windows.where("plannedUntilMs", "<", toMs).select<Window[]>()).flatMap((window) => {
    const schedule = { ...window, rule: readRule(window.rrule) };
    const afterMs = Math.max(window.plannedUntilMs, fromMs - maxMs);
    const spans = occurrencesBetween(schedule, afterMs, toMs - 1).filter((span) => span.toMs > fromMs);
    return spans.map((span) => ({ ...span, id: window.id, name: window.name }));
  });
  const found: Named[] = [];
  const lastOf = new Map<number, Named>();
  for (const one of [...stored, ...later].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = lastOf.get(one.id);
    if (last?.toMs === one.fromMs) last.toMs = one.toMs;
    else {
      found.push(one);
      lastOf.set(one.id, one);
    }
  }
  return {
    occurrences: found.slice(0, maxOccurrences).map(({ id, name, ...span }) => ({ id, name, ...isoSpan(span) })),
    more: stored.length + later.length > maxOccurrences,
  };
}

export const isoSpan = (span: TimeSpan) => ({ start: isoInstant(span.fromMs), end: isoInstant(span.toMs) });
