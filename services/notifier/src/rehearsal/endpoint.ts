import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import { AppError, type FieldFault, impossible, invalid, unavailable } from "@sonde/kit/errors";
import { createWorker, type JobLimits } from "@sonde/kit/offload/worker";
import type { Database } from "@sonde/kit/postgres/database";
import { type TargetType, targetTypes } from "@sonde/proto/http/monitors/targets";
import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { RehearsalInput, RehearsalResult } from "@sonde/proto/http/on-call/rehearsal";
import { setImmediate as othersFirst } from "node:timers/promises";
import type { DecisionContext } from "../alerts/deciding.ts";
import { loadChannels, type RecipientChannel } from "../alerts/facts.ts";
import { findMailChannel, ownedName } from "../on-call/contacts/account-mail.ts";
import { loadOnCall } from "../on-call/load.ts";
import { faultsOf, usersOf } from "../on-call/policies/policies.ts";
import { allSettings, type NewSetting, readSetting } from "../settings/store.ts";
import { findExisting, missingIn } from "../settings/settings.ts";
import { periodOf, readPast } from "./past.ts";
import type { RehearsalJob } from "./rehearse.ts";

export type RehearsalContext = DecisionContext & {
  maintenance: Pick<MaintenanceWatch, "spansOf" | "silencesOf">;
  incidentDays: number;
};
export type Rehearsals = { run(input: RehearsalInput): Promise<RehearsalResult>; stop(): void };

/** Processor time. 10,000 incidents take less than two seconds. */
const budgetMs = 15_000;
const maxWallMs = 30_000;
const retryAfterSeconds = 5;
const maxCharacters = 64 * 1024 * 1024;

/**
 * Rehearses in a worker thread, one at a time, and reads without the lock that decisions take.
 * @throws AppError `invalid`, `impossible`, `too_many`, `unavailable`
 */
export function createRehearsals(ctx: RehearsalContext, limits: Partial<JobLimits> = {}): Rehearsals {
  const worker = createWorker<RehearsalJob, RehearsalResult>({
    thread: new URL("./thread.ts", import.meta.url),
    name: "rehearsal",
    budgetMs,
    maxWallMs,
    maxCharacters,
    ...limits,
  });
  let isRunning = false;
  const rehearse = async (input: RehearsalInput) => {
    const job = await prepareRehearsal(ctx, input);
    const done = await worker.run(job, { characters: job.parts.reduce((sum, part) => sum + part.length, 0) });
    if (done.status === "done") return done.answer;
    if (done.status === "none") throw unavailable("notifier", new Error(done.trouble));
    throw impossible([{ path: "from", message: "The rehearsal takes too long: choose a shorter period" }]);
  };
  return {
    run: async (input) => {
      if (isRunning) {
        throw new AppError("too_many", "Another rehearsal is running, please try again shortly", { retryAfterSeconds });
      }
      isRunning = true;
      return rehearse(input).finally(() => (isRunning = false));
    },
    stop: () => worker.stop(),
  };
}

/** Loads what a rehearsal needs, in one snapshot. @throws AppError `invalid`, `impossible` */
export async function prepareRehearsal(ctx: RehearsalContext, input: RehearsalInput): Promise<RehearsalJob> {
  const { fromMs, toMs, nowMs } = periodOf(input, ctx.clock.now(), ctx.incidentDays);
  const drafts = draftsOf(input);
  if (drafts.length > maxDrafts) {
    throw invalid([{ path: "settings", message: "At most {max} values are allowed", params: { max: maxDrafts } }]);
  }
  const policies = input.policies ?? [];
  const users = usersOf(policies.flatMap(({ steps }) => steps));
  // Overrides of any time.
  const onCall = await loadOnCall({ ...ctx, clock: { ...ctx.clock, now: () => 0 } }, users);
  await refuseMissing(ctx, drafts, policies);
  const read = async (trx: Database) => {
    const stored = await allSettings(trx);
    return {
      parts: await readPast(trx, fromMs, toMs),
      targets: await targetsOf(trx, toMs),
      settings: [
        ...stored.map((row) => ({ ...row, value: readSetting(row.scope, row.value, ctx.log) })),
        ...drafts.map(({ setting }) => setting),
      ],
      channels: await loadChannels(trx, ctx.readerOf),
      accounts: await accountChannelsOf(trx),
    };
  };
  const { targets, accounts, channels, ...loaded } = await ctx.db.transaction(read, {
    readOnly: true,
    isolationLevel: "repeatable read",
  });
  const mails = new Map<number, number>();
  for (const [id, user] of onCall.users) {
    const { through, ids } = accounts;
    if (through === undefined || user?.email === undefined) continue;
    // Without a channel yet: a step creates it.
    const channelId = ids.get(id) ?? -id;
    mails.set(id, channelId);
    if (channelId > 0) continue;
    const mail: Omit<RecipientChannel, "id" | "name"> = {
      type: through.type,
      userId: id,
      isEnabled: true,
      reader: "people",
    };
    channels.set(channelId, { id: channelId, name: ownedName(user.name, "mail"), ...mail });
  }
  const spans: RehearsalJob["spans"] = new Map();
  for (const [index, { type, id }] of targets.entries()) {
    if (index % 20 === 0) await othersFirst();
    const [maintenance, silence] = [ctx.maintenance.spansOf(type, id), ctx.maintenance.silencesOf(type, id)];
    if (maintenance.length + silence.length > 0) spans.set(`${type}:${id}`, { maintenance, silence });
  }
  return {
    ...loaded,
    fromMs,
    toMs,
    nowMs,
    channels,
    mails,
    spans,
    schedules: onCall.schedules,
    contacts: onCall.contacts,
    devices: onCall.devices,
    policies: new Map([...onCall.policies, ...policies.map((policy) => [policy.id, policy] as const)]),
    away: new Set([...onCall.users.keys()].filter(onCall.isAway)),
  };
}

type Draft = { path: string; setting: NewSetting };

function draftsOf({ settings = {} }: RehearsalInput): Draft[] {
  const { globalMonitor, globalAgent, monitors = {}, agents = {} } = settings;
  const one = (name: string, scope: NewSetting["scope"], value: NotificationSettings | undefined, targetId = 0) =>
    value === undefined ? [] : [{ path: `settings.${name}`, setting: { scope, targetId, value } }];
  return [
    ...one("globalMonitor", "global-monitor", globalMonitor),
    ...one("globalAgent", "global-agent", globalAgent),
    ...Object.entries(monitors).flatMap(([id, value]) => one(`monitors.${id}`, "monitor", value, Number(id))),
    ...Object.entries(agents).flatMap(([id, value]) => one(`agents.${id}`, "agent", value, Number(id))),
  ];
}

const maxDrafts = 100;
const maxFaults = 50;

/** @throws AppError `impossible` if a draft names something that does not exist */
async function refuseMissing(
  { db, people }: RehearsalContext,
  drafts: readonly Draft[],
  policies: NonNullable<RehearsalInput["policies"]>,
): Promise<void> {
  const faults: FieldFault[] = [];
  const add = (found: readonly FieldFault[], path: string) =>
    faults.push(...found.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })));
  const added = policies.map(({ id }) => id);
  const find: typeof findExisting = async (trx, table, ids) =>
    new Set([...(await findExisting(trx, table, ids)), ...(table === "policies" ? added : [])]);
  for (const { path, setting } of drafts) add(await missingIn(db, setting.value, find), path);
  for (const [index, { steps }] of policies.entries()) {
    add(await faultsOf(db, steps, await people(usersOf(steps))), `policies.${index}`);
  }
  if (faults.length > 0) throw impossible(faults.slice(0, maxFaults));
}

const targetsOf = (trx: Database, toMs: number): Promise<{ type: TargetType; id: number }[]> =>
  trx("incidents")
    .where("opened_at_ms", "<", toMs)
    .whereIn("target_type", targetTypes)
    .distinct({ type: "target_type", id: "target_id" });

async function accountChannelsOf(trx: Database) {
  const through = await findMailChannel(trx);
  const rows = await trx("channels")
    .where({ isAccount: true, throughId: through?.id ?? 0 })
    .select<{ id: number; userId: number }[]>("id", "user_id");
  return { through, ids: new Map(rows.map(({ id, userId }) => [userId, id])) };
}
