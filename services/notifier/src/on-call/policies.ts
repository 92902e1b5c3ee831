import { record } from "@sonde/domain/audit";
import { ownersOf, refuseOwned } from "@sonde/domain/managed/table";
import { AppError, type FieldFault, impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { AuditAction } from "@sonde/proto/http/audit";
import { type Language, translate } from "@sonde/proto/http/messages";
import {
  type EscalationPolicy,
  maxPolicies,
  type policiesQuery,
  type PolicyAnswer,
  type PolicyInput,
  type PolicyPatch,
} from "@sonde/proto/http/on-call/policies";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { findMailChannel } from "./account-mail.ts";
import { readContacts } from "./load.ts";
import type { People, PeopleById } from "./people.ts";
import { type Policy, policyOf, type PolicyRow } from "./policies-store.ts";
import { membersOf, readRecipient, type SteppedSchedule } from "./recipients.ts";

type PolicyContext = Context & { people: People };

export async function listPolicies(
  { db }: Pick<Context, "db">,
  { page, pageSize, search = "", sort = "name" }: z.output<typeof policiesQuery>,
): Promise<{ policies: EscalationPolicy[]; total: number }> {
  const key = search.replaceAll("\0", "").toLowerCase();
  const matching = db("policies").whereRaw("position(? in lower(name)) > 0", [key]);
  const order = sort === "name" ? "asc" : "desc";
  const [rows, [counted]] = await Promise.all([
    matching
      .clone()
      .orderBy([{ column: "name", order }, { column: "id" }])
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .select<PolicyRow[]>(),
    matching.clone().count<{ count: number }[]>("* as count"),
  ]);
  return { policies: await present(db, rows.map(policyOf)), total: counted?.count ?? 0 };
}

async function present(db: Database, policies: readonly Policy[]): Promise<EscalationPolicy[]> {
  const owners = await ownersOf(
    db,
    "policy",
    policies.map(({ id }) => id),
  );
  return policies.map((policy) => ({ ...policy, managed: owners.get(policy.id) }));
}

type Shown = { language: Language };

/** @throws AppError `not_found` */
export const getPolicy = async (ctx: PolicyContext, id: number, shown: Shown): Promise<PolicyAnswer> =>
  answer(ctx, await findPolicy(ctx.db, id), shown);

async function answer(ctx: PolicyContext, policy: Policy, { language }: Shown): Promise<PolicyAnswer> {
  const [shown] = await present(ctx.db, [policy]);
  return { policy: shown!, warnings: await warningsOf(ctx, policy, language) };
}

/** @throws AppError `impossible` if there are too many, or if a step names something that cannot be notified */
export const createPolicy = (
  ctx: PolicyContext,
  { name, ...value }: PolicyInput,
  shown: Shown,
): Promise<PolicyAnswer> =>
  changing(ctx, { name, ...value }, shown, async (trx, nowMs) => {
    // Serialises concurrent additions, which would both find room for one more.
    await trx.raw("lock table policies in share row exclusive mode");
    const [counted] = await trx("policies").count<{ count: number }[]>("* as count");
    if ((counted?.count ?? 0) >= maxPolicies) {
      const params = { max: maxPolicies };
      throw new AppError("impossible", "The limit of {max} escalation policies has been reached: delete one first", {
        params,
      });
    }
    const row = { name, value: JSON.stringify(value), createdAtMs: nowMs, updatedAtMs: nowMs };
    const [made] = await trx("policies").insert(row).returning<PolicyRow[]>("*");
    const after = policyOf(made!);
    await recordPolicy(trx, "create", after, { after });
    return after;
  });

/**
 * Changes the given fields. Open incidents continue with the changed steps.
 * @throws AppError `not_found`, `impossible`, or `conflict` if a source owns a changed field
 */
export async function updatePolicy(
  ctx: PolicyContext,
  id: number,
  patch: PolicyPatch,
  shown: Shown,
  isOwner = false,
): Promise<PolicyAnswer> {
  return changing(ctx, patch, shown, async (trx, nowMs) => {
    const before = await findPolicy(trx, id, true);
    const changed = changedPolicyFields(before, patch);
    if (!isOwner) await refuseOwned(trx, { kind: "policy", id, name: before.name }, () => changed);
    const after = withPatch(before, patch);
    const { id: _id, name, ...value } = after;
    await trx("policies")
      .where({ id })
      .update({ name, value: JSON.stringify(value), updatedAtMs: nowMs });
    await recordPolicy(trx, "update", after, { before, after });
    return after;
  });
}

const withPatch = (before: Policy, patch: PolicyPatch): Policy => {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  return {
    ...before,
    ...given,
    lowUrgency: patch.lowUrgency === null ? undefined : (patch.lowUrgency ?? before.lowUrgency),
  };
};

export const changedPolicyFields = (before: Policy, patch: PolicyPatch) =>
  (["name", "steps", "repeat", "lowUrgency"] as const).filter(
    (field) => patch[field] !== undefined && !isDeepStrictEqual(before[field], patch[field] ?? undefined),
  );

/** @throws AppError `not_found`, `conflict` if settings use it or a source owns it */
export async function removePolicy({ db, committed }: Context, id: number, isOwner = false): Promise<void> {
  await db.transaction(async (trx) => {
    const before = await findPolicy(trx, id, true);
    if (!isOwner) await refuseOwned(trx, { kind: "policy", id, name: before.name }, null);
    if (isOwner) await unsetPolicy(trx, id);
    else await refuseUsed(trx, id);
    await trx("policies").where({ id }).delete();
    await recordPolicy(trx, "delete", before, { before });
  });
  committed();
}

/** The source that removes a policy also decides about its settings. */
const unsetPolicy = (trx: Database, id: number): Promise<unknown> =>
  trx("settings")
    .whereRaw("value->'policyId' = to_jsonb(?::int)", [id])
    .update({ value: trx.raw("value - 'policyId'") });

const maxNamed = 5;

async function refuseUsed(trx: Database, id: number): Promise<void> {
  const rows = await trx("settings")
    .whereNull("deleted_at_ms")
    .whereRaw("value->'policyId' = to_jsonb(?::int)", [id])
    .orderBy(["scope", "target_id"])
    .limit(maxNamed)
    .select<{ scope: string; targetId: number }[]>("scope", "target_id");
  if (rows.length === 0) return;
  const where = rows.map(({ scope, targetId }) => (targetId === 0 ? scope : `${scope}:${targetId}`)).join(", ");
  throw new AppError("conflict", "The escalation policy is used by {where}: select another there first", {
    params: { where },
  });
}

/** @throws AppError `not_found` */
async function findPolicy(db: Database, id: number, lock = false): Promise<Policy> {
  const query = db("policies").where({ id }).first<PolicyRow | undefined>();
  const row = await (lock ? query.forUpdate() : query);
  if (row === undefined) throw new AppError("not_found", "Escalation policy does not exist");
  return policyOf(row);
}

const recordPolicy = (
  trx: Database,
  action: AuditAction,
  { id, name }: Policy,
  states: { before?: Policy; after?: Policy },
): Promise<void> => record(trx, "notifier", { action, target: { type: "policy", id, name }, ...states });

async function changing(
  ctx: PolicyContext,
  { steps = [] }: PolicyPatch,
  shown: Shown,
  change: (trx: Database, nowMs: number) => Promise<Policy>,
): Promise<PolicyAnswer> {
  // Auth is queried before the transaction.
  const users = await ctx.people(usersOf(steps));
  const policy = await ctx.db.transaction(async (trx) => {
    const faults = await faultsOf(trx, steps, users);
    if (faults.length > 0) throw impossible(faults.slice(0, 50));
    return change(trx, ctx.clock.now());
  });
  ctx.committed();
  return answer(ctx, policy, shown);
}

type Steps = PolicyInput["steps"];

const usersOf = (steps: Steps): number[] =>
  steps.flatMap(({ notify }) => notify.map(readRecipient).flatMap(({ kind, id }) => (kind === "user" ? [id] : [])));

/**
 * Returns an error for each recipient that does not exist, and for steps that reach nobody. Users count as known while
 * auth is unavailable.
 */
async function faultsOf(db: Database, steps: Steps, users: PeopleById): Promise<FieldFault[]> {
  const [channels, schedules] = await Promise.all([readChannels(db), readSchedules(db)]);
  const problemOf = (recipient: string) => {
    const { kind, id } = readRecipient(recipient);
    if (kind === "user") return users.get(id) === null ? missing : null;
    if (kind === "channel") return channels.get(id) === false ? disabled : channels.has(id) ? null : missing;
    const schedule = schedules.get(id);
    return schedule === undefined ? missing : membersOf(schedule).length === 0 ? empty : null;
  };
  return steps.flatMap(({ notify }, index) => {
    const problems = notify.map(problemOf);
    const isUnreachable = problems.every((problem) => problem !== null);
    return problems.flatMap((message, place): FieldFault[] => {
      if (message === null || (message !== missing && !isUnreachable)) return [];
      const params = { step: index + 1, recipient: notify[place] ?? "" };
      return [{ path: `steps.${index}.notify.${place}`, message, params }];
    });
  });
}

const missing = "Step {step} cannot notify {recipient}: it does not exist";
const empty = "Step {step} cannot notify {recipient}: nobody is in the schedule";
const disabled = "Step {step} cannot notify {recipient}: the channel is disabled";

async function readChannels(db: Database): Promise<Map<number, boolean>> {
  const rows = await db("channels").where({ userId: null }).select<{ id: number; enabled: boolean }[]>("id", "enabled");
  return new Map(rows.map(({ id, enabled }) => [id, enabled]));
}

async function readSchedules(db: Database): Promise<Map<number, Pick<SteppedSchedule, "layers">>> {
  const rows = await db("schedules").select<{ id: number; value: SteppedSchedule }[]>("id", "value");
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** Names each member without contacts once, at the first step that would notify them. */
async function warningsOf(
  { db, people }: PolicyContext,
  { steps }: Policy,
  language: Language,
): Promise<PolicyAnswer["warnings"]> {
  const schedules = await readSchedules(db);
  const named = steps.flatMap(({ notify }, index) =>
    notify.flatMap((recipient) => {
      const { kind, id } = readRecipient(recipient);
      const ids = kind === "user" ? [id] : kind === "channel" ? [] : membersOf(schedules.get(id) ?? { layers: [] });
      return ids.map((userId) => ({ step: index + 1, recipient, userId }));
    }),
  );
  const ids = [...new Set(named.map(({ userId }) => userId))];
  const [users, contacts, mail] = await Promise.all([people(ids), readContacts(db, ids), findMailChannel(db)]);
  const seen = new Set<number>();
  return named.flatMap(({ userId, ...where }) => {
    const person = users.get(userId);
    if (seen.has(userId) || person === undefined || (contacts.get(userId)?.rules.length ?? 0) > 0) return [];
    seen.add(userId);
    const isMailed = person?.email !== undefined && mail !== undefined;
    const message = isMailed
      ? "{name} has no contacts and is only notified by mail"
      : "{name} has no contacts and cannot be notified";
    return [{ ...where, message: translate(message, language, { name: person?.name ?? `#${userId}` }) }];
  });
}
