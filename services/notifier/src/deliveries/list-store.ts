import type { Database } from "@sonde/kit/postgres/database";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { TargetType } from "@sonde/proto/http/monitors/targets";

/** A row of `deliveries` with what its message knows. */
export type ListedDelivery = {
  id: number;
  message_id: number;
  channel_id: number;
  channel_type: Delivery["channelType"];
  channel_name: string;
  kind: Delivery["kind"];
  target_type: TargetType | null;
  target_id: number | null;
  target_name: string | null;
  incident_id: string | null;
  reminder: number;
  status: Delivery["status"];
  created_at_ms: number;
  due_at_ms: number;
  /** How many deliveries its message has. */
  grouped: number;
};
export type ListedAttempt = {
  message_id: number;
  number: number;
  started_at_ms: number;
  ended_at_ms: number | null;
  status_code: number | null;
  answer: string;
};

export type DeliveryFilter = {
  channelId?: number | undefined;
  status?: string | undefined;
  target?: { type: string; id: number } | undefined;
  incidentId?: string;
  ids?: readonly number[];
};

// PostgreSQL's largest integer; no id is greater.
const maxId = 2_147_483_647;
const known = (ids: readonly number[]) => ids.filter((id) => id <= maxId);

function matching(db: Database, { channelId, status, target, incidentId, ids }: DeliveryFilter) {
  const rows = db("deliveries");
  if (channelId !== undefined) rows.whereRaw("deliveries.channel_id = any(?)", [known([channelId])]);
  if (status !== undefined) rows.where("deliveries.status", status);
  if (target !== undefined) {
    rows.where("target_type", target.type).whereRaw("target_id = any(?)", [known([target.id])]);
  }
  if (incidentId !== undefined) rows.where("incident_id", incidentId);
  if (ids !== undefined) rows.whereRaw("deliveries.id = any(?)", [known(ids)]);
  return rows;
}

/** Deliveries that match a filter, newest first. */
export function findDeliveries(
  db: Database,
  filter: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedDelivery[]> {
  return matching(db, filter)
    .join("messages", "messages.id", "message_id")
    .select<ListedDelivery[]>(
      "deliveries.*",
      "messages.due_at_ms",
      db.raw("(select count(*) from deliveries other where other.message_id = deliveries.message_id) as grouped"),
    )
    .orderBy("deliveries.id", "desc")
    .limit(limit)
    .offset(offset);
}

export async function countDeliveries(db: Database, filter: DeliveryFilter): Promise<number> {
  const [counted] = await matching(db, filter).count<{ count: number }[]>("* as count");
  return counted?.count ?? 0;
}

/** The newest attempts of each of these messages, oldest first. */
export async function attemptsOf(db: Database, messageIds: readonly number[], most: number): Promise<ListedAttempt[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await db.raw<{ rows: ListedAttempt[] }>(
    `select attempts.* from unnest(?::bigint[]) as message (id)
     cross join lateral (
       select * from attempts where message_id = message.id order by number desc limit ?
     ) as attempts
     order by message_id, number`,
    [[...new Set(messageIds)], most],
  );
  return rows;
}
