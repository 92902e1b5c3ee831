import { record } from "@sonde/domain/audit";
import { AppError, impossible } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import { enqueueKey } from "@sonde/kit/postgres/outbox";
import { readEnd } from "@sonde/kit/time/end";
import { maxSilencedMinutes, type TargetSilence, type silenceInput } from "@sonde/proto/http/status/silences";
import { buckets } from "@sonde/proto/streams";
import type { z } from "zod";
import { isoInstant } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import { queryAgents, queryMonitors, missingTarget } from "../collect/targets.ts";
import { lockWindows, nextRevision, type WindowTargets } from "./store.ts";
import { taggedWith } from "./tags.ts";

type SilenceInput = z.output<typeof silenceInput>;
type SilenceEnd = Omit<SilenceInput, "target" | "note">;

const maxSilences = 200;

/**
 * Silences a target from now on: only its alerts are deferred. For a tag, the monitors and agents that have it now.
 * @param by the user's name
 * @throws AppError `invalid` if the end is too near or too far; `impossible` if there is nothing to silence, a tag has
 * too many monitors, or too many silences are running
 */
export async function createSilence(
  ctx: Context,
  { target, note = "", ...end }: SilenceInput,
  by: string,
): Promise<TargetSilence> {
  const untilMs = readEnd(end, ctx.clock.now(), maxSilencedMinutes);
  const { name, ...covered } = await findTargets(ctx, target);
  const made = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const nowMs = ctx.clock.now();
      await lockWindows(trx);
      const running = await runningSilences(trx, nowMs);
      if (running.length >= maxSilences) {
        const params = { max: maxSilences };
        throw new AppError("impossible", "The limit of {max} silences has been reached: end one first", { params });
      }
      const [row] = await trx("windows")
        .insert({
          ...covered,
          name,
          note,
          tag: target.type === "tag" ? target.name : null,
          createdBy: by,
          isSilence: true,
          isPublic: false,
          startMs: Math.round(nowMs),
          endMs: untilMs,
          timeZone: "UTC",
          plannedUntilMs: Number.MAX_SAFE_INTEGER,
          revision: nextRevision(trx),
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        })
        .returning<SilenceRow[]>(columns);
      if (row === undefined) throw new Error("inserting a silence returned no row");
      await enqueueKey(trx, buckets.maintenance, String(row.id));
      const silence = present(row);
      await recordSilence(trx, "create", null, silence);
      return silence;
    }),
  );
  ctx.committed();
  return made;
}

export const listSilences = async ({
  db,
  clock,
}: Pick<Context, "db" | "clock">): Promise<{ silences: TargetSilence[] }> => ({
  silences: (await runningSilences(db, clock.now())).map(present),
});

/** Moves the end of a silence. @throws AppError `not_found` if it is not running, `invalid` */
export async function updateSilence({ db, clock, committed }: Context, id: number, end: SilenceEnd) {
  const changed = await db.transaction(async (trx) => {
    const nowMs = clock.now();
    const row = await lockRunning(trx, id, nowMs);
    const endMs = readEnd(end, nowMs, maxSilencedMinutes);
    await changeSilence(trx, id, { endMs }, nowMs);
    const silence = present({ ...row, endMs });
    await recordSilence(trx, "update", present(row), silence);
    return silence;
  });
  committed();
  return changed;
}

/** Ends a silence now, which makes deferred alerts due. @throws AppError `not_found` if it is not running */
export async function endSilence({ db, clock, committed }: Context, id: number): Promise<void> {
  await db.transaction(async (trx) => {
    const nowMs = Math.round(clock.now());
    const row = await lockRunning(trx, id, nowMs);
    await changeSilence(trx, id, { endMs: nowMs, deletedAtMs: nowMs }, nowMs);
    await recordSilence(trx, "end", present(row), present({ ...row, endMs: nowMs }));
  });
  committed();
}

/** @throws AppError `not_found` */
async function lockRunning(trx: Database, id: number, nowMs: number): Promise<SilenceRow> {
  const row = await running(trx, nowMs).where({ id }).forUpdate().first<SilenceRow | undefined>(columns);
  if (row === undefined) throw new AppError("not_found", "Silence does not exist");
  return row;
}

async function changeSilence(trx: Database, id: number, changes: object, nowMs: number): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ ...changes, updatedAtMs: nowMs, revision: nextRevision(trx) });
  await enqueueKey(trx, buckets.maintenance, String(id));
}

const recordSilence = (
  trx: Database,
  action: "create" | "update" | "end",
  before: TargetSilence | null,
  after: TargetSilence,
): Promise<void> =>
  record(trx, "status-page", {
    action,
    target: { type: "silence", id: after.id, name: after.target.name },
    before,
    after,
  });

const columns = ["id", "name", "note", "tag", "monitorIds", "agentIds", "endMs", "createdBy", "createdAtMs"];
type SilenceRow = WindowTargets & {
  id: number;
  name: string;
  note: string;
  tag: string | null;
  endMs: number;
  createdBy: string;
  createdAtMs: number;
};

const running = (db: Database, nowMs: number) =>
  db("windows").where({ isSilence: true }).whereNull("deletedAtMs").where("endMs", ">", nowMs);

const runningSilences = (db: Database, nowMs: number): Promise<SilenceRow[]> =>
  running(db, nowMs).orderBy(["endMs", "id"]).select<SilenceRow[]>(columns);

const present = ({
  id,
  name,
  note,
  tag,
  monitorIds,
  agentIds,
  endMs,
  createdBy,
  createdAtMs,
}: SilenceRow): TargetSilence => ({
  id,
  target: targetOf({ name, tag, monitorIds, agentIds }),
  until: isoInstant(endMs),
  note: note || undefined,
  createdBy,
  createdAt: isoInstant(createdAtMs),
});

function targetOf({
  name,
  tag,
  monitorIds: [monitorId],
  agentIds: [agentId],
}: Pick<SilenceRow, "name" | "tag" | "monitorIds" | "agentIds">): TargetSilence["target"] {
  if (tag !== null) return { type: "tag", name };
  return monitorId === undefined ? { type: "agent", id: agentId, name } : { type: "monitor", id: monitorId, name };
}

/** Returns what a target covers, and its name. @throws AppError `impossible` if it does not exist or covers too many */
async function findTargets(
  { sources }: Pick<Context, "sources">,
  target: SilenceInput["target"],
): Promise<WindowTargets & { name: string }> {
  if (target.type === "tag") {
    const { name } = target;
    const { monitorIds, agentIds } = await taggedWith(sources, name, "target.name");
    if (monitorIds.length + agentIds.length === 0) {
      throw impossible([{ path: "target.name", message: "No monitor or agent has this tag" }]);
    }
    return { name, monitorIds, agentIds };
  }
  const { type, id } = target;
  const found = (await (type === "monitor" ? queryMonitors : queryAgents)(sources, [id])).get(id);
  if (found === undefined) {
    throw impossible([{ path: "target.id", ...missingTarget(type, id) }]);
  }
  const [monitorIds, agentIds] = type === "monitor" ? [[id], []] : [[], [id]];
  return { name: found.name, monitorIds, agentIds };
}
