import type { Database } from "@sonde/kit/postgres/database";
import type { DecisionContext } from "../alerts/deciding.ts";
import { type Policy, policyOf, type PolicyRow } from "./policies/store.ts";
import type { StoredOverride, StoredSchedule } from "./schedules/store.ts";
import { membersOf, type OnCall, readRecipient, type StoredContacts, type SteppedSchedule } from "./recipients.ts";

/** Loads all policies and schedules with the people in them, and `others`. Auth is queried here, before any lock is taken. */
export async function loadOnCall(
  { db, clock, people }: Pick<DecisionContext, "db" | "clock" | "people">,
  others: readonly number[] = [],
): Promise<OnCall & { users: Awaited<ReturnType<DecisionContext["people"]>> }> {
  const [policyRows, scheduleRows, overrides] = await Promise.all([
    db<PolicyRow>("policies"),
    db<StoredSchedule>("schedules"),
    db<StoredOverride>("overrides").where("end_ms", ">", clock.now()),
  ]);
  const policies = new Map(policyRows.map((row) => [row.id, policyOf(row)]));
  const ofSchedule = Map.groupBy(overrides, ({ scheduleId }) => scheduleId);
  const schedules = new Map(
    scheduleRows.map(({ id, value }) => [id, { ...value, overrides: ofSchedule.get(id) ?? [] }]),
  );
  const ids = [...new Set([...usersIn(policies.values(), schedules.values()), ...others])];
  const [users, contacts, devices] = await Promise.all([people(ids), readContacts(db, ids), readDevices(db, ids)]);
  const isAway = (id: number) => users.get(id) === null || users.get(id)?.isDisabled === true;
  return { policies, schedules, contacts, devices, users, isAway };
}

function usersIn(policies: Iterable<Policy>, schedules: Iterable<SteppedSchedule>): number[] {
  const named = [...policies].flatMap(({ steps }) => steps.flatMap(({ notify }) => notify.map(readRecipient)));
  const onCall = [...schedules].flatMap((schedule) => [
    ...membersOf(schedule),
    ...schedule.overrides.map(({ userId }) => userId),
  ]);
  return [...named.flatMap(({ kind, id }) => (kind === "user" ? [id] : [])), ...onCall];
}

export async function readContacts(db: Database, userIds: readonly number[]): Promise<Map<number, StoredContacts>> {
  const rows = await db<{ userId: number; value: StoredContacts }>("contacts")
    .whereRaw("user_id = any(?)", [[...userIds]])
    .select("user_id", "value");
  return new Map(rows.map(({ userId, value }) => [userId, value]));
}

/** Returns the channels of push devices by user. */
export async function readDevices(db: Database, userIds: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await db("channels")
    .whereRaw("user_id = any(?)", [[...userIds]])
    .where({ type: "web-push" })
    .orderBy("id")
    .select<{ id: number; userId: number }[]>("id", "user_id");
  return new Map([...Map.groupBy(rows, ({ userId }) => userId)].map(([id, own]) => [id, own.map((row) => row.id)]));
}
