import type { Database } from "@sonde/kit/postgres/database";
import type { deliveriesQuery, Delivery } from "@sonde/proto/http/notifications/deliveries";
import { readTarget, type TargetType } from "@sonde/proto/http/monitors/targets";
import type { z } from "zod";
import { isDrill } from "../on-call/drills/settings.ts";

/** All attempts in a response must fit into one bus message. The latest attempt of each delivery is always included. */
const maxAttempts = 1_000;
const maxPerItem = 100;
const maxDeliveries = 200;

export async function listDeliveries(
  { db }: { db: Database },
  { page, pageSize, channel: channelId, status, target }: z.output<typeof deliveriesQuery>,
): Promise<{ deliveries: Delivery[]; total: number }> {
  const filter: DeliveryFilter = { channelId, status, target: target === undefined ? undefined : readTarget(target) };
  const limit = Math.min(maxDeliveries, pageSize);
  const [deliveries, [counted]] = await Promise.all([
    deliveriesOf(db, filter, { limit, offset: (page - 1) * limit }),
    matching(db, filter).count<{ count: number }[]>("* as count"),
  ]);
  return { deliveries, total: counted?.count ?? 0 };
}

export async function deliveriesOf(
  db: Database,
  filter: DeliveryFilter,
  page = { limit: maxDeliveries, offset: 0 },
): Promise<Delivery[]> {
  const rows = await matching(db, filter)
    .join("messages", "messages.id", "message_id")
    .select<ListedDelivery[]>(
      "deliveries.*",
      "messages.due_at_ms",
      db.raw("(select count(*) from deliveries other where other.message_id = deliveries.message_id) as grouped"),
    )
    .orderBy("deliveries.id", "desc")
    .limit(page.limit)
    .offset(page.offset);
  const max = Math.min(maxPerItem, Math.floor(maxAttempts / Math.max(1, rows.length)));
  const messageIds = rows.map(({ messageId }) => messageId);
  const attempts = Map.groupBy(await attemptsOf(db, messageIds, max), ({ messageId }) => messageId);
  return rows.map((row) => present(row, attempts.get(row.messageId) ?? []));
}

const present = (row: ListedDelivery, attempts: readonly ListedAttempt[]): Delivery => ({
  id: row.id,
  channelId: row.channelId,
  channelType: row.channelType,
  channelName: row.channelName,
  kind: row.kind,
  ...(row.targetType !== null &&
    row.targetId !== null && { target: { type: row.targetType, id: row.targetId, name: row.targetName ?? "" } }),
  ...(row.incidentId !== null && !isDrill(row.incidentId) && { incidentId: row.incidentId }),
  ...(row.reminder > 0 && { reminder: row.reminder }),
  ...(row.grouped > 1 && { grouped: row.grouped }),
  status: row.status,
  attempts: attempts.map((attempt) => ({
    at: instant(attempt.startedAtMs),
    ...(attempt.statusCode !== null && { statusCode: attempt.statusCode }),
    answer: attempt.answer,
    durationMs: Math.max(0, (attempt.endedAtMs ?? attempt.startedAtMs) - attempt.startedAtMs),
  })),
  ...(row.status === "pending" && { nextAttemptAt: instant(row.dueAtMs) }),
  createdAt: instant(row.createdAtMs),
});

const instant = (ms: number) => new Date(ms).toISOString();

type ListedDelivery = Pick<Delivery, "id" | "channelId" | "channelType" | "channelName" | "kind" | "status"> & {
  messageId: number;
  targetType: TargetType | null;
  targetId: number | null;
  targetName: string | null;
  incidentId: string | null;
  reminder: number;
  createdAtMs: number;
  dueAtMs: number;
  grouped: number;
};
type ListedAttempt = {
  messageId: number;
  number: number;
  startedAtMs: number;
  endedAtMs: number | null;
  statusCode: number | null;
  answer: string;
};

type DeliveryFilter = {
  channelId?: number | undefined;
  status?: string | undefined;
  target?: { type: string; id: number } | undefined;
  incidentId?: string;
  ids?: readonly number[];
};

// PostgreSQL's largest integer.
const maxId = 2_147_483_647;
const validIds = (ids: readonly number[]) => ids.filter((id) => id <= maxId);

function matching(db: Database, { channelId, status, target, incidentId, ids }: DeliveryFilter) {
  const rows = db("deliveries");
  if (channelId !== undefined) rows.whereRaw("deliveries.channel_id = any(?)", [validIds([channelId])]);
  if (status !== undefined) rows.where("deliveries.status", status);
  if (target !== undefined) {
    rows.where("target_type", target.type).whereRaw("target_id = any(?)", [validIds([target.id])]);
  }
  if (incidentId !== undefined) rows.where("incident_id", incidentId);
  if (ids !== undefined) rows.whereRaw("deliveries.id = any(?)", [validIds(ids)]);
  return rows;
}

export async function attemptsOf(db: Database, messageIds: readonly number[], max: number): Promise<ListedAttempt[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await db.raw<{ rows: ListedAttempt[] }>(
    `select attempts.* from unnest(?::bigint[]) as message (id)
     cross join lateral (
       select * from attempts where message_id = message.id order by number desc limit ?
     ) as attempts
     order by message_id, number`,
    [[...new Set(messageIds)], max],
  );
  return rows;
}
