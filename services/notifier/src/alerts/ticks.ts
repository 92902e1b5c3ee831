import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Database } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { reminderAfterMs } from "../settings/store.ts";
import { lateMs } from "./changes.ts";
import { type ChannelDecision, decideNews, decideReminder, decideSteady } from "./decide.ts";
import { deciding, type DecisionContext, timesDecided } from "./deciding.ts";
import { dropDeferred, dueDeferred, recordVerdicts } from "./decisions.ts";
import { runDrills, runsEndAt } from "../on-call/drills/ticks.ts";
import { decideWaiting, escalate } from "../on-call/escalate.ts";
import { handOff } from "../on-call/handoffs.ts";
import { type IncidentsView, loadIncidentsView, maintenanceUntil, silencedUntil } from "./facts.ts";
import {
  type AlertMoment,
  dueReminders,
  lockIncidents,
  type NotifiedIncident,
  planReminders,
  readMoment,
  updateIncidents,
} from "./incident.ts";

const everyMs = 1_000;
/** Another process may decide something that is due earlier. It handles that too, unless it dies. */
const readAgainMs = 5_000;

/**
 * Each second, decides deferred moments, steps, reminders, handoffs and reports that are due. First, deferrals by maintenance and silences follow
 * changed windows. Due times are in rows, so nothing is lost when a process dies; the next due time is cached until
 * rows change.
 * @param ready resolves after events from before the start were applied: until then, a deferred incident may already be
 * over
 */
export function startTicks(
  deps: DecisionContext & {
    maintenance: Pick<MaintenanceWatch, "at" | "silencedUntil" | "onChange">;
    /** Begins to make due reports. */
    makeReports?: () => void;
  },
  ready: Promise<unknown> = Promise.resolve(),
): Service {
  let stopped = false;
  // Windows may have changed while no notifier ran.
  let windowsChanged = true;
  let isReady = false;
  void ready.then(() => (isReady = true));
  deps.maintenance.onChange(() => (windowsChanged = true));

  const followWindows = async () => {
    windowsChanged = false;
    await moveDeferred(deps).catch((error: unknown) => {
      windowsChanged = true;
      throw error;
    });
  };
  const isDue = dueReader(deps);
  const tick = async () => {
    if (!isReady) return;
    if (windowsChanged) await followWindows();
    if (!(await isDue())) return;
    deps.makeReports?.();
    while (!stopped && (await decideDeferred(deps)) > 0);
    while (!stopped && (await decideWaiting(deps)) > 0);
    while (!stopped && (await escalate(deps)) > 0);
    while (!stopped && (await remind(deps)) > 0);
    while (!stopped && (await runDrills(deps)) > 0);
    while (!stopped && (await handOff(deps)) > 0);
  };
  const ticking = startLoop({
    work: "deciding deferred alerts, steps and reminders",
    log: deps.log,
    everyMs,
    run: tick,
  });
  return {
    stop: () => {
      stopped = true;
      return ticking.stop();
    },
  };
}

/** Returns a function that reports whether a row is due. It queries PostgreSQL only if rows may have changed. */
export function dueReader({ db, clock }: Pick<DecisionContext, "db" | "clock">): () => Promise<boolean> {
  let dueAtMs = Number.POSITIVE_INFINITY;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let seen = -1;
  return async () => {
    const times = timesDecided(db);
    if (times !== seen || clock.elapsedMs() - readAtMs >= readAgainMs) {
      dueAtMs = await nextDueMs(db);
      readAtMs = clock.elapsedMs();
      seen = times;
    }
    return dueAtMs <= clock.now();
  };
}

async function nextDueMs(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { dueAtMs: number | null }[] }>(
    `select least(
       (select min(until_ms) from decisions where outcome = 'held'),
       (select min(reminder_due_at_ms) from incidents where reminder_due_at_ms is not null),
       (select min(due_at_ms) from escalations where stopped_at_ms is null),
       (select min(due_at_ms) from drills where due_at_ms is not null),
       (select min(coalesce(handoff_at_ms, 0)) from schedules),
       (select min(due_at_ms) from reports),
       (select min(ends_at_ms) from (${runsEndAt}) as running)
     ) as due_at_ms`,
  );
  return rows[0]?.dueAtMs ?? Number.POSITIVE_INFINITY;
}

const atOnce = 200;

/** Applies the current settings, parents, maintenance, silences and snoozes. Returns how many were decided. */
export async function decideDeferred(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  if ((await dueDeferred(deps.db, nowMs, 1)).length === 0) return 0;
  const taken = await deciding(deps.db, async (trx) => {
    const due = await dueDeferred(trx, nowMs, atOnce);
    const ids = due.map(({ incidentId }) => incidentId);
    const known = await lockIncidents(trx, ids);
    const view = await loadIncidentsView(trx, deps, [...known.values()]);
    const verdicts = due.flatMap(({ incidentId, moment }) => {
      const incident = known.get(incidentId);
      if (incident === undefined) return [];
      return [{ incident, moment, decisions: decideAgain(moment, incident, view.inputFor(incident)) }];
    });
    // Decisions deferred again are written again; the others no longer apply.
    await dropDeferred(trx, due);
    await recordVerdicts(trx, view, verdicts);
    return due.length;
  });
  if (taken > 0) deps.due();
  return taken;
}

export function decideAgain(
  moment: AlertMoment,
  { acknowledgedAtMs }: NotifiedIncident,
  input: ReturnType<IncidentsView["inputFor"]>,
): ChannelDecision[] {
  const { name } = readMoment(moment);
  if (name === "steady") return decideSteady(input);
  if (name !== "reminder") return decideNews(input);
  if (acknowledgedAtMs !== undefined || input.policy.cooldownMs === 0) return [];
  return decideNews(input).filter(({ channelId }) => channelId !== null);
}

/** Moves deferrals to the current end of maintenance or silence, or to now. Returns how many moved. */
export async function moveDeferred(deps: Pick<DecisionContext, "db" | "clock" | "maintenance">): Promise<number> {
  if ((await deferredTargets(deps.db)).length === 0) return 0;
  return deciding(deps.db, async (trx) => {
    const nowMs = deps.clock.now();
    const ends = (await deferredTargets(trx)).map((target) => ({
      ...target,
      until: untilByReason[target.reason](deps.maintenance, target, nowMs) ?? nowMs,
    }));
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      // Due alerts stay due, and alerts that wait a few seconds for a possible closing keep waiting.
      `update decisions set until_ms = ends.until
       from incidents join jsonb_to_recordset(?::jsonb) as ends (type text, id integer, reason text, until bigint)
         on target_type = ends.type and target_id = ends.id
       where incidents.id = incident_id and outcome = 'held' and decisions.reason = ends.reason
         and until_ms <> ends.until and not (ends.until <= ? and (until_ms <= ? or until_ms <= at_ms + ${lateMs}))`,
      [JSON.stringify(ends), nowMs, nowMs],
    );
    return rowCount;
  });
}

const untilByReason = { maintenance: maintenanceUntil, silenced: silencedUntil };

const deferredTargets = (db: Database): Promise<(TargetRef & { reason: keyof typeof untilByReason })[]> =>
  db("decisions")
    .join("incidents", "incidents.id", "incident_id")
    .where({ outcome: "held" })
    .whereIn("reason", Object.keys(untilByReason))
    .distinct({ type: "target_type", id: "target_id", reason: "reason" });

export async function remind(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  if ((await dueReminders(deps.db, nowMs, 1)).length === 0) return 0;
  const count = await deciding(deps.db, async (trx) => {
    const due = [...(await lockIncidents(trx, await dueReminders(trx, nowMs, atOnce))).values()];
    if (due.length === 0) return 0;
    const view = await loadIncidentsView(trx, deps, due);
    const candidates = due.map((incident) => ({ incident, decisions: decideReminder(view.inputFor(incident)) }));
    const plans = candidates.map(({ incident, decisions }) => ({
      id: incident.id,
      due: reminderDueMs(view, incident, decisions),
    }));
    // A reminder that no channel gets, now or later, is not recorded.
    const verdicts = candidates.flatMap(({ incident, decisions }) => {
      const reminders = incident.reminders + 1;
      const counts = decisions.some(({ outcome }) => outcome !== "skipped");
      return counts
        ? [{ incident: { ...incident, reminders }, moment: `reminder:${reminders}` as const, decisions }]
        : [];
    });
    const reminded = verdicts.map(({ incident }) => incident);
    await updateIncidents(trx, reminded);
    await planReminders(trx, plans);
    await recordVerdicts(trx, view, verdicts);
    return due.length;
  });
  if (count > 0) deps.due();
  return count;
}

/** If all channels are deferred, the cooldown starts with the first notification. */
export function reminderDueMs(
  view: Pick<IncidentsView, "policyOf" | "nowMs">,
  incident: NotifiedIncident,
  decisions: readonly ChannelDecision[],
): number | null {
  const afterMs = reminderAfterMs(view.policyOf(incident), incident.kind);
  const allDeferred = decisions.length > 0 && decisions.every(({ outcome }) => outcome === "held");
  return afterMs === null || allDeferred ? null : view.nowMs + afterMs;
}

type ReminderRow = { id: string; type: TargetType; targetId: number; name: string; dueMs: number };

/** Returns the next reminder, or undefined. Reminders of snoozed incidents are due at the end of the snooze. */
export async function findNextReminder(db: Database) {
  const row: ReminderRow | undefined = await db("incidents")
    .whereNotNull("reminder_due_at_ms")
    .orderBy("due_ms")
    .first(
      "id",
      "target_type as type",
      "target_id",
      "target_name as name",
      db.raw("greatest(reminder_due_at_ms, snoozed_until_ms) as due_ms"),
    );
  if (row === undefined) return undefined;
  const { id, type, targetId, name, dueMs } = row;
  return { incidentId: id, target: { type, id: targetId, name }, at: new Date(dueMs).toISOString() };
}
