import type { Database } from "@sonde/kit/postgres/database";
import type { Clock } from "@sonde/kit/time/clock";
import { slices } from "@sonde/kit/concurrency/slices";
import { fill } from "@sonde/proto/http/fill";
import type { budgetCauses } from "@sonde/proto/http/reasons/budget-sentences";
import { burnRules, decideAlert, findBurning, type RecentSlots } from "./decide.ts";
import { readFigures } from "./read.ts";
import { closeBurn, openBurn } from "./incidents.ts";
import type { StoredSlo } from "./slo.ts";
import type { SlotReader } from "./slots.ts";
import { findSlo, keepBurning, loadTargets, openBurns, type TargetsOf } from "./store.ts";

export type SloPassContext = { db: Database; clock: Clock; reader: SlotReader; nudge(): void };

const windowsMs = [...new Set(burnRules.flatMap(({ longMs, shortMs }) => [longMs, shortMs]))];

/** Decides all burn alerts. Every replica does so: the row of a service level is locked before its incident opens. */
export async function decideBurnAlerts(ctx: SloPassContext): Promise<void> {
  const { db, clock, reader } = ctx;
  const nowMs = clock.now();
  const slos = await db("slos").whereRaw("value->>'burnAlerts' = 'true'").orderBy("id").select<StoredSlo[]>();
  if (slos.length === 0) return;
  const targetsOf = await loadTargets(db, slos);
  const open = await openBurns(db);
  const recent = await readRecent(slos, targetsOf, (ids, fastMs) => reader.recent(ids, fastMs, nowMs, windowsMs));
  const kept: { id: number; untilMs: number }[] = [];
  const slice = slices();
  for (const slo of slos) {
    await slice();
    const targets = targetsOf(slo).map(({ id }): RecentSlots => ({ id, last: (ms) => recent(slo, id, ms) }));
    const burning = findBurning(slo.value, targets);
    const { change, burningUntilMs } = decideAlert(
      { isOpen: open.has(slo.id), burningUntilMs: slo.burningUntilMs },
      burning,
      nowMs,
    );
    if (burningUntilMs !== null && burningUntilMs !== slo.burningUntilMs)
      kept.push({ id: slo.id, untilMs: burningUntilMs });
    if (change === "open") {
      const { targetId, objective } = burning!;
      const cause = await causeOf(ctx, slo, targetsOf, objective.isLatency, nowMs);
      if (await openBurn(db, slo, { targetId, cause }, nowMs)) ctx.nudge();
    } else if (change === "close" && (await closeIfSame(db, slo, nowMs))) ctx.nudge();
  }
  await keepBurning(db, kept);
}

const closeIfSame = (db: Database, slo: StoredSlo, nowMs: number): Promise<boolean> =>
  db.transaction(async (trx) => {
    const now = await findSlo(trx, slo.id, true).catch(() => null);
    // Another replica may have seen a failure since.
    if (now === null || (now.burningUntilMs ?? 0) > nowMs) return false;
    return closeBurn(trx, now, "recovered", nowMs);
  });

/** Makes one call for each limit of response times, or one in total. */
async function readRecent<Read>(
  slos: readonly StoredSlo[],
  targetsOf: TargetsOf,
  read: (ids: number[], fastMs: number) => Promise<(id: number, ms: number) => Read>,
): Promise<(slo: StoredSlo, id: number, ms: number) => Read> {
  const limits = new Map(
    slos.flatMap((slo) =>
      slo.value.latency ? targetsOf(slo).map(({ id }) => [id, slo.value.latency!.ms] as const) : [],
    ),
  );
  // Without a limit of its own, a service level uses what is read for another one: each call costs the same.
  const [anyLimit = 0] = limits.values();
  const limitOf = ({ value }: StoredSlo, id: number) => value.latency?.ms ?? limits.get(id) ?? anyLimit;
  const idsByLimit = new Map<number, Set<number>>();
  for (const slo of slos) {
    for (const { id } of targetsOf(slo)) {
      const limit = limitOf(slo, id);
      idsByLimit.set(limit, (idsByLimit.get(limit) ?? new Set()).add(id));
    }
  }
  const found = new Map<number, (id: number, ms: number) => Read>();
  for (const [fastMs, ids] of idsByLimit) found.set(fastMs, await read([...ids], fastMs));
  return (slo, id, ms) => found.get(limitOf(slo, id))!(id, ms);
}

/** The incident says what is left of the whole budget, not of the rule's window. */
async function causeOf(
  { reader }: SloPassContext,
  slo: StoredSlo,
  targetsOf: TargetsOf,
  isLatency: boolean,
  nowMs: number,
): Promise<string> {
  const figures = (await readFigures(reader, [slo], targetsOf, nowMs)).get(slo.id);
  const sentence = isLatency ? figures?.latencySentence : figures?.sentence;
  const cause = (
    isLatency ? "{name}, response times: {sentence}" : "{name}: {sentence}"
  ) satisfies keyof typeof budgetCauses;
  return fill(cause, { name: slo.name, sentence: sentence ?? "No data yet" });
}
