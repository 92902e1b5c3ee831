import { ownersOf } from "@sonde/domain/managed/table";
import { AppError, type FieldFault, impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { type Language, translate } from "@sonde/proto/http/messages";
import type {
  EscalationPolicy,
  policiesQuery,
  PolicyAnswer,
  PolicyInput,
  PolicyPatch,
} from "@sonde/proto/http/on-call/policies";
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { addNamed, changeNamed, changing, findNamed, pageOf, removeNamed } from "../named.ts";
import type { People, PeopleById } from "../people.ts";
import { reachOf } from "../reach.ts";
import { membersOf, readRecipient } from "../recipients.ts";
import type { StoredSchedule } from "../schedules/store.ts";
import { type Policy, policyKind, policyOf, type PolicyRow } from "./store.ts";

type PolicyContext = Context & { people: People };

export async function listPolicies(
  { db }: Pick<Context, "db">,
  { sort, ...query }: z.output<typeof policiesQuery>,
): Promise<{ policies: EscalationPolicy[]; total: number }> {
  const order = sort === "-name" ? "desc" : "asc";
  const { rows, total } = await pageOf<PolicyRow>(db, policyKind, query, [{ column: "name", order }, { column: "id" }]);
  return { policies: await present(db, rows.map(policyOf)), total };
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
  answer(ctx, await findNamed(ctx.db, policyKind, id), shown);

async function answer(ctx: PolicyContext, row: PolicyRow, { language }: Shown): Promise<PolicyAnswer> {
  const policy = policyOf(row);
  const [shown] = await present(ctx.db, [policy]);
  return { policy: shown!, warnings: await warningsOf(ctx, policy, language) };
}

/** @throws AppError `impossible` if there are too many, or if a step names something that cannot be notified */
export const createPolicy = (ctx: PolicyContext, input: PolicyInput, shown: Shown): Promise<PolicyAnswer> =>
  saving(ctx, input, shown, (trx, nowMs) => addNamed(trx, policyKind, input, nowMs));

/**
 * Changes the given fields. Open incidents continue with the changed steps.
 * @throws AppError `not_found`, `impossible`, or `conflict` if a source owns a changed field
 */
export const updatePolicy = (
  ctx: PolicyContext,
  id: number,
  patch: PolicyPatch,
  shown: Shown,
  isOwner = false,
): Promise<PolicyAnswer> =>
  saving(ctx, patch, shown, (trx, nowMs) => changeNamed(trx, policyKind, id, patch, { nowMs, isOwner }));

/** @throws AppError `not_found`, `conflict` if settings use it or a source owns it */
export const removePolicy = (ctx: Context, id: number, isOwner = false): Promise<void> =>
  changing(ctx, async (trx) => {
    await removeNamed(trx, policyKind, id, isOwner);
    await (isOwner ? unsetPolicy(trx, id) : refuseUsed(trx, id));
  });

/** The source that removes a policy also decides about its settings. */
async function unsetPolicy(trx: Database, id: number): Promise<void> {
  type Holder = { policyId?: number | null };
  const without = <Held extends Holder>(one: Held) => (one.policyId === id ? { ...one, policyId: undefined } : one);
  const rows = await usesOf(trx, id).select<
    { scope: string; targetId: number; value: Holder & { rules?: Holder[] } }[]
  >("scope", "target_id", "value");
  for (const { value, ...key } of rows) {
    const rest = { ...without(value), rules: value.rules?.map(without) };
    await trx("settings")
      .where(key)
      .update({ value: JSON.stringify(rest) });
  }
}

const usesOf = (trx: Database, id: number) =>
  trx("settings")
    .whereNull("deleted_at_ms")
    .whereRaw(
      "(value->'policyId' = to_jsonb(?::int) or value->'rules' @> jsonb_build_array(jsonb_build_object('policyId', ?::int)))",
      [id, id],
    );

const maxNamed = 5;

async function refuseUsed(trx: Database, id: number): Promise<void> {
  const rows = await usesOf(trx, id)
    .orderBy(["scope", "target_id"])
    .limit(maxNamed)
    .select<{ scope: string; targetId: number }[]>("scope", "target_id");
  if (rows.length === 0) return;
  const where = rows.map(({ scope, targetId }) => (targetId === 0 ? scope : `${scope}:${targetId}`)).join(", ");
  throw new AppError("conflict", "The escalation policy is used by {where}: select another there first", {
    params: { where },
  });
}

async function saving(
  ctx: PolicyContext,
  { steps = [] }: PolicyPatch,
  shown: Shown,
  save: (trx: Database, nowMs: number) => Promise<PolicyRow>,
): Promise<PolicyAnswer> {
  // Auth is queried before the transaction.
  const users = await ctx.people(usersOf(steps));
  const row = await changing(ctx, async (trx, nowMs) => {
    const faults = await faultsOf(trx, steps, users);
    if (faults.length > 0) throw impossible(faults.slice(0, 50));
    return save(trx, nowMs);
  });
  return answer(ctx, row, shown);
}

type Steps = PolicyInput["steps"];

export const usersOf = (steps: Steps): number[] =>
  steps.flatMap(({ notify }) => notify.map(readRecipient).flatMap(({ kind, id }) => (kind === "user" ? [id] : [])));

/**
 * Returns an error for each recipient that does not exist, and for steps that reach nobody. Users count as known while
 * auth is unavailable.
 */
export async function faultsOf(db: Database, steps: Steps, users: PeopleById): Promise<FieldFault[]> {
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

async function readSchedules(db: Database): Promise<Map<number, StoredSchedule["value"]>> {
  return new Map((await db<StoredSchedule>("schedules")).map(({ id, value }) => [id, value]));
}

/** Names each member without contacts once, at the first step that would notify them. */
async function warningsOf(
  ctx: PolicyContext,
  { steps }: Policy,
  language: Language,
): Promise<PolicyAnswer["warnings"]> {
  const schedules = await readSchedules(ctx.db);
  const named = steps.flatMap(({ notify }, index) =>
    notify.flatMap((recipient) => {
      const { kind, id } = readRecipient(recipient);
      const ids = kind === "user" ? [id] : kind === "channel" ? [] : membersOf(schedules.get(id) ?? { layers: [] });
      return ids.map((userId) => ({ step: index + 1, recipient, userId }));
    }),
  );
  const ids = [...new Set(named.map(({ userId }) => userId))];
  const reach = await reachOf(ctx, ids);
  const seen = new Set<number>();
  return named.flatMap(({ userId, ...where }) => {
    const found = reach.get(userId);
    if (seen.has(userId) || found === undefined || found.by === "contacts") return [];
    seen.add(userId);
    const message =
      found.by === "mail"
        ? "{name} has no contacts and is only notified by mail"
        : "{name} has no contacts and cannot be notified";
    return [{ ...where, message: translate(message, language, { name: found.name }) }];
  });
}
