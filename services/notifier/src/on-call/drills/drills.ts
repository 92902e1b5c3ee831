import { record } from "@sonde/domain/audit";
import { ownersOf, refuseOwned } from "@sonde/domain/managed/table";
import { currentCall } from "@sonde/kit/bus/rpc";
import { AppError, impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { AuditAction } from "@sonde/proto/http/audit";
import {
  type Drill,
  type DrillInput,
  type DrillRun,
  type drillsAnswer,
  type drillsQuery,
  maxDrills,
  maxRuns,
} from "@sonde/proto/http/on-call/drills";
import type { z } from "zod";
import { applyWithin } from "../../alerts/changes.ts";
import { deciding, type DecisionContext } from "../../alerts/deciding.ts";
import { lockIncidents, type NotifiedIncident } from "../../alerts/incident.ts";
import { changeOf, closeRuns, openRun } from "./runs.ts";
import { personsIn, targetName } from "./target.ts";
import { type DrillRow, nextStartMs } from "./ticks.ts";
import { findEscalations } from "../escalations.ts";
import { loadOnCall } from "../load.ts";
import { instantOf, pageOf } from "../named.ts";
import { readRecipient } from "../recipients.ts";

type DrillContext = DecisionContext & { committed(): void };

/**
 * Starts a drill now and, with a schedule, again later.
 * @throws AppError `impossible` if the target does not exist, has a drill already, or there are too many
 */
export async function startDrill(
  deps: DrillContext,
  { by, target, schedule }: DrillInput & { by: string },
): Promise<{ drill: Drill }> {
  const [name, onCall] = await Promise.all([targetName(deps, target), loadOnCall(deps, personsIn([{ target }]))]);
  if (name === undefined) throw impossible([{ path: "target", message: "The target of the drill does not exist" }]);
  const id = await deciding(deps.db, async (trx) => {
    await refuseTooMany(trx, target, schedule);
    const createdAtMs = Math.round(deps.clock.now());
    const dueAtMs = nextStartMs({ schedule, createdAtMs }, createdAtMs);
    const row = { target, targetName: name, schedule, dueAtMs, createdBy: by, createdAtMs };
    const [drill] = await trx("drills").insert(row).returning<DrillRow[]>("*");
    await openRun(trx, deps, onCall, drill!);
    await recordDrill(trx, "create", drill!, { after: { target, schedule } });
    return drill!.id;
  });
  deps.due();
  deps.committed();
  return getDrill(deps.db, id);
}

/** @throws AppError `not_found` */
async function getDrill(db: Database, id: number): Promise<{ drill: Drill }> {
  const [drill] = await present(db, await db<DrillRow>("drills").where({ id }));
  if (drill === undefined) throw notFound();
  return { drill };
}

async function refuseTooMany(trx: Database, target: string, schedule: DrillInput["schedule"]): Promise<void> {
  const open = await trx("incidents")
    .whereNotNull("drill_id")
    .whereNull("closed_at_ms")
    .pluck<string[]>("drill_target");
  if (open.includes(target))
    throw impossible([{ path: "target", message: "A drill of this target is already running" }]);
  refuseMore(open.length);
  if (schedule !== undefined) await refuseMoreRecurring(trx);
}

const refuseMoreRecurring = async (trx: Database): Promise<void> =>
  refuseMore((await trx("drills").whereNotNull("due_at_ms").pluck<number[]>("id")).length);

function refuseMore(count: number): void {
  if (count < maxDrills) return;
  const params = { max: maxDrills };
  throw new AppError("impossible", "The limit of {max} drills has been reached: delete one first", { params });
}

type Recorded = Partial<Pick<DrillRow, "target" | "schedule">> & { acknowledgedBy?: string };

const recordDrill = (
  trx: Database,
  action: AuditAction,
  { id, targetName: name }: Pick<DrillRow, "id" | "targetName">,
  states: { before?: Recorded; after?: Recorded } = {},
): Promise<void> => record(trx, "notifier", { action, target: { type: "drill", id, name }, ...states });

/** Deletes a drill, and ends its run. @throws AppError `not_found`, `conflict` if a source owns it */
export async function removeDrill(deps: DrillContext, id: number): Promise<void> {
  await deciding(deps.db, async (trx) => {
    const { targetName: name } = await deleteDrill(trx, id);
    await refuseOwned(trx, { kind: "drill", id, name }, null);
    await closeRuns(trx, deps, await runningOf(trx, id));
  });
  deps.due();
  deps.committed();
}

/** @throws AppError `not_found` */
export async function deleteDrill(trx: Database, id: number): Promise<DrillRow> {
  const [drill] = await trx("drills").where({ id }).delete().returning<DrillRow[]>("*");
  if (drill === undefined) throw notFound();
  const { target, schedule } = drill;
  await recordDrill(trx, "delete", drill, { before: { target, schedule } });
  return drill;
}

/**
 * Creates or changes the recurring drill of a document. The first run starts one week or month after its creation.
 * @param id `null` for a new one @throws AppError `impossible` if there are too many
 */
export async function saveRecurring(
  { db, clock }: Pick<DecisionContext, "db" | "clock">,
  id: number | null,
  { target, schedule, userName }: Pick<DrillRow, "target" | "schedule"> & { userName: string },
): Promise<{ id: number }> {
  const people = async (ids: readonly number[]) =>
    new Map(ids.map((userId) => [userId, { id: userId, name: userName }]));
  const name = (await targetName({ db, people }, target)) ?? userName;
  const before = id === null ? undefined : await db("drills").where({ id }).first<DrillRow>();
  if (before === undefined) await refuseMoreRecurring(db);
  const nowMs = Math.round(clock.now());
  const createdAtMs = before?.createdAtMs ?? nowMs;
  const createdBy = before?.createdBy ?? currentCall()?.actor?.username ?? "";
  const row = { target, targetName: name, schedule, dueAtMs: nextStartMs({ schedule, createdAtMs }, nowMs) };
  const [saved] = await (
    before === undefined
      ? db("drills").insert({ ...row, createdBy, createdAtMs })
      : db("drills").where({ id }).update(row)
  ).returning<DrillRow[]>("*");
  await recordDrill(db, before === undefined ? "create" : "update", saved!, {
    ...(before && { before: { target: before.target, schedule: before.schedule } }),
    after: { target, schedule },
  });
  return saved!;
}

const notFound = () => new AppError("not_found", "Drill does not exist");

const runningOf = (db: Database, drillId: number): Promise<string[]> =>
  db("incidents").where({ drillId }).whereNull("closed_at_ms").pluck<string[]>("id");

/** Acknowledges the run of a drill, if there is one. @throws AppError `not_found` */
export async function acknowledgeDrill(
  deps: DrillContext,
  { id, by }: { id: number; by: string },
): Promise<{ drill: Drill }> {
  const [runId] = await runningOf(deps.db, id);
  if (runId !== undefined) await acknowledgeRun(deps, { id: runId, by });
  return getDrill(deps.db, id);
}

/**
 * Acknowledges a run, which ends with as many acknowledgements as the step of its policy needs. A closed one stays as
 * it is.
 * @throws AppError `not_found`
 */
export async function acknowledgeRun(
  deps: DrillContext,
  { id, by }: { id: string; by: string },
): Promise<NotifiedIncident> {
  const run = await deciding(deps.db, async (trx) => {
    const known = (await lockIncidents(trx, [id])).get(id);
    if (known?.drill === undefined) throw new AppError("not_found", "Incident does not exist");
    if (known.closedAtMs !== undefined || known.acknowledgedBy.includes(by)) return known;
    const nowMs = Math.round(deps.clock.now());
    const acknowledged = {
      ...known,
      acknowledgedAtMs: known.acknowledgedAtMs ?? nowMs,
      acknowledgedBy: [...known.acknowledgedBy, by],
      revision: known.revision + 1,
    };
    await applyWithin(trx, deps, [changeOf("acknowledged", acknowledged, nowMs)]);
    const [escalation] = await findEscalations(trx, [id]);
    if (escalation === undefined || escalation.stoppedAtMs !== null) await closeRuns(trx, deps, [id]);
    const { kind, id: targetId } = readRecipient(known.drill.target);
    if (kind === "policy") await trx("policies").where({ id: targetId }).update({ provenAtMs: nowMs });
    const drill = { id: known.drill.id, targetName: await nameOf(trx, known.drill) };
    await recordDrill(trx, "acknowledge", drill, { after: { acknowledgedBy: by } });
    return (await lockIncidents(trx, [id])).get(id) ?? acknowledged;
  });
  deps.due();
  deps.committed();
  return run;
}

const nameOf = async (trx: Database, { id, target }: NonNullable<NotifiedIncident["drill"]>): Promise<string> =>
  (await trx("drills").where({ id }).first<{ name: string } | undefined>("target_name as name"))?.name ?? target;

/** Returns drills, newest first, and when each channel, contact and policy was last proven. */
export async function listDrills(
  { db }: Pick<DecisionContext, "db">,
  { sort = "-createdAt", ...query }: z.output<typeof drillsQuery>,
): Promise<Pick<z.input<typeof drillsAnswer>, "drills" | "total" | "proven">> {
  const [{ rows, total }, proven] = await Promise.all([
    pageOf<DrillRow>(db, { table: "drills", column: "target_name" }, query, [
      {
        column: sort.endsWith("nextAt") ? "due_at_ms" : "id",
        order: sort.startsWith("-") ? "desc" : "asc",
        nulls: "last",
      },
      { column: "id" },
    ]),
    readProven(db),
  ]);
  return { drills: await present(db, rows), total, proven };
}

const maxProven = 1_000;

async function readProven(db: Database): Promise<z.input<typeof drillsAnswer>["proven"]> {
  type Row = { id: number; name: string; userId: number | null; provenAtMs: number | null };
  const read = (table: "channels" | "policies", fields: string[]) =>
    db(table)
      .orderByRaw("proven_at_ms nulls first, name, id")
      .limit(maxProven)
      .select<Row[]>("id", "name", "proven_at_ms", ...fields);
  const [channels, policies] = await Promise.all([read("channels", ["user_id"]), read("policies", [])]);
  const proofOf = ({ id, name, provenAtMs }: Row) => ({ id, name, lastProvenAt: instantOf(provenAtMs) });
  return {
    channels: channels.filter(({ userId }) => userId === null).map(proofOf),
    contacts: channels.flatMap((row) => (row.userId === null ? [] : [{ ...proofOf(row), userId: row.userId }])),
    policies: policies.map(proofOf),
  };
}

type RunRow = {
  id: string;
  drillId: number;
  openedAtMs: number;
  closedAtMs: number | null;
  acknowledgedAtMs: number | null;
  acknowledgedBy: string[];
};
type NotifiedRow = {
  incidentId: string;
  channelId: number | null;
  name: string | null;
  outcome: "sent" | "held" | "skipped";
  reason: string;
  atMs: number;
  untilMs: number | null;
  status: "pending" | "delivered" | "failed" | null;
};

async function present(db: Database, drills: readonly DrillRow[]): Promise<Drill[]> {
  const ids = drills.map(({ id }) => id);
  const { rows: runs } = await db.raw<{ rows: RunRow[] }>(
    `select runs.* from unnest(?::integer[]) as chosen (id) cross join lateral (
       select id, drill_id, opened_at_ms, closed_at_ms, acknowledged_at_ms, acknowledged_by from incidents
       where drill_id = chosen.id order by opened_at_ms desc, id desc limit ${maxRuns}
     ) as runs`,
    [ids],
  );
  // The reason of a person's step that reached nobody is recorded without a channel.
  const { rows: notified } = await db.raw<{ rows: NotifiedRow[] }>(
    `select decisions.incident_id, decisions.channel_id, coalesce(channel_name, channels.name) as name, outcome,
       decisions.reason, at_ms, until_ms, deliveries.status
     from decisions
     left join alerts on alerts.incident_id = decisions.incident_id and alerts.moment = decisions.moment
     left join deliveries on deliveries.alert_id = alerts.id and deliveries.channel_id = decisions.channel_id
     left join channels on channels.id = decisions.channel_id
     where decisions.incident_id = any(?) and decisions.moment <> 'closed'
       and (decisions.channel_id is not null or decisions.reason = 'nobody_on_call')
     order by at_ms, decisions.id`,
    [runs.map(({ id }) => id)],
  );
  const owners = await ownersOf(db, "drill", ids);
  const byRun = Map.groupBy(notified, ({ incidentId }) => incidentId);
  const byDrill = Map.groupBy(runs, ({ drillId }) => drillId);
  return drills.map((row) => ({
    id: row.id,
    target: row.target,
    targetName: row.targetName,
    schedule: row.schedule ?? undefined,
    nextAt: instantOf(row.dueAtMs),
    createdBy: row.createdBy,
    createdAt: instantOf(row.createdAtMs),
    managed: owners.get(row.id),
    runs: (byDrill.get(row.id) ?? []).map((run) => ({
      id: run.id,
      startedAt: instantOf(run.openedAtMs),
      endedAt: instantOf(run.closedAtMs),
      acknowledgedAt: instantOf(run.acknowledgedAtMs),
      acknowledgedBy: run.acknowledgedBy,
      notified: (byRun.get(run.id) ?? []).map(presentNotified),
    })),
  }));
}

function presentNotified(row: NotifiedRow): DrillRun["notified"][number] {
  const { channelId, name, outcome, atMs, untilMs, status } = row;
  const at = instantOf(outcome === "held" ? (untilMs ?? atMs) : atMs);
  if (channelId === null) return { name: "", at, state: "nobody" };
  const state = outcome === "sent" ? (status ?? "pending") : outcome === "held" ? "waiting" : "skipped";
  return { name: name ?? `#${channelId}`, at, state };
}
