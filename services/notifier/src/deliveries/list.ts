import type { Database } from "@sonde/kit/postgres/database";
import type { deliveriesQuery, Delivery } from "@sonde/proto/http/notifications/deliveries";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import type { z } from "zod";
import {
  attemptsOf,
  countDeliveries,
  type DeliveryFilter,
  findDeliveries,
  type ListedAttempt,
  type ListedDelivery,
} from "./list-store.ts";

/** All attempts are in one message of the bus; of each delivery at least the newest is included. */
const mostAttempts = 1_000;
const mostOfOne = 100;
const mostDeliveries = 200;

/** A page of deliveries, newest first, and how many there are. Includes only the newest attempts. */
export async function listDeliveries(
  { db }: { db: Database },
  { page, pageSize, channel: channelId, status, target }: z.output<typeof deliveriesQuery>,
): Promise<{ deliveries: Delivery[]; total: number }> {
  const filter: DeliveryFilter = { channelId, status, target: target === undefined ? undefined : readTarget(target) };
  const limit = Math.min(mostDeliveries, pageSize);
  const offset = (page - 1) * limit;
  const [deliveries, total] = await Promise.all([
    deliveriesOf(db, filter, { limit, offset }),
    countDeliveries(db, filter),
  ]);
  return { deliveries, total };
}

/** The deliveries that match a filter with their attempts, newest first. */
export async function deliveriesOf(
  db: Database,
  filter: DeliveryFilter,
  page = { limit: mostDeliveries, offset: 0 },
): Promise<Delivery[]> {
  const rows = await findDeliveries(db, filter, page);
  const most = Math.min(mostOfOne, Math.floor(mostAttempts / Math.max(1, rows.length)));
  const messageIds = rows.map(({ message_id }) => message_id);
  const attempts = Map.groupBy(await attemptsOf(db, messageIds, most), ({ message_id }) => message_id);
  return rows.map((row) => present(row, attempts.get(row.message_id) ?? []));
}

const present = (row: ListedDelivery, attempts: readonly ListedAttempt[]): Delivery => ({
  id: row.id,
  channelId: row.channel_id,
  channelType: row.channel_type,
  channelName: row.channel_name,
  kind: row.kind,
  ...(row.target_type === null || row.target_id === null
    ? {}
    : { target: { type: row.target_type, id: row.target_id, name: row.target_name ?? "" } }),
  ...(row.incident_id === null ? {} : { incidentId: row.incident_id }),
  ...(row.reminder === 0 ? {} : { reminder: row.reminder }),
  ...(row.grouped > 1 ? { grouped: row.grouped } : {}),
  status: row.status,
  attempts: attempts.map((attempt) => ({
    at: instant(attempt.started_at_ms),
    ...(attempt.status_code === null ? {} : { statusCode: attempt.status_code }),
    answer: attempt.answer,
    durationMs: Math.max(0, (attempt.ended_at_ms ?? attempt.started_at_ms) - attempt.started_at_ms),
  })),
  ...(row.status === "pending" ? { nextAttemptAt: instant(row.due_at_ms) } : {}),
  createdAt: instant(row.created_at_ms),
});

const instant = (ms: number) => new Date(ms).toISOString();
