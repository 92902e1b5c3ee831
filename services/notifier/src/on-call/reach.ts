import type { Database } from "@sonde/kit/postgres/database";
import type { OnCallSchedule } from "@sonde/proto/http/on-call/schedules";
import type { Context } from "../context.ts";
import { findMailChannel } from "./contacts/account-mail.ts";
import { readContacts } from "./load.ts";
import type { People } from "./people.ts";
import { listSchedules } from "./schedules/schedules.ts";

type Reach = { name: string; by: "contacts" | "mail" | "nothing" };

/** How each user is notified. Omits users whom auth does not know yet. */
export async function reachOf(
  { db, people }: { db: Database; people: People },
  ids: readonly number[],
): Promise<Map<number, Reach>> {
  const [users, contacts, mail] = await Promise.all([people(ids), readContacts(db, ids), findMailChannel(db)]);
  return new Map(
    [...users].map(([id, person]) => {
      const isMailed = person?.email !== undefined && mail !== undefined;
      const by = (contacts.get(id)?.rules.length ?? 0) > 0 ? "contacts" : isMailed ? "mail" : "nothing";
      return [id, { name: person?.name ?? `#${id}`, by }];
    }),
  );
}

type Schedules = { schedules: OnCallSchedule[]; total: number };

/** Says of who is on call now if nothing reaches them. */
export async function markUnreachable(ctx: { db: Database; people: People }, listed: Schedules): Promise<Schedules> {
  const reach = await reachOf(
    ctx,
    listed.schedules.flatMap(({ now }) => now?.userId ?? []),
  );
  const schedules = listed.schedules.map(({ now, ...schedule }) => ({
    ...schedule,
    now: now && { ...now, ...(reach.get(now.userId)?.by === "nothing" && { isUnreachable: true as const }) },
  }));
  return { ...listed, schedules };
}

/** Schedules whose person on call nothing reaches. */
export async function listUnreachable(ctx: Context & { people: People }) {
  const { schedules } = await markUnreachable(ctx, await listSchedules(ctx, { page: 1, pageSize: 100 }));
  const found = schedules.flatMap(({ id, name, now }) =>
    now?.isUnreachable ? [{ scheduleId: id, name, userId: now.userId }] : [],
  );
  const reach = await reachOf(
    ctx,
    found.map(({ userId }) => userId),
  );
  return found.map((one) => ({ ...one, person: reach.get(one.userId)?.name ?? "" }));
}
