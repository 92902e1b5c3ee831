import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type {
  DeliverySchema,
  ListDeliveriesRequest,
  ListDeliveriesResponseSchema,
} from "@sonde/proto/gen/notifications/v1/notifications";
import {
  attemptsOf,
  countDeliveries,
  type DeliveryFilter,
  findDeliveries,
  type ListedAttempt,
  type ListedDelivery,
} from "./list-store.ts";

type DeliveryInit = MessageInitShape<typeof DeliverySchema>;

/** All of them travel in one message of the bus; of a delivery at least the newest is told. */
const mostAttempts = 1_000;
const mostOfOne = 100;
const mostDeliveries = 200;

/** A page of deliveries, newest first, and how many there are. Of attempts the newest are told. */
export async function listDeliveries(
  { db }: { db: Database },
  { page, pageSize, channelId, status, target, incidentId, ids }: ListDeliveriesRequest,
): Promise<MessageInitShape<typeof ListDeliveriesResponseSchema>> {
  const filter: DeliveryFilter = {
    channelId,
    target,
    status: status || undefined,
    incidentId: incidentId || undefined,
    ids: ids.length > 0 ? ids : undefined,
  };
  const limit = Math.min(mostDeliveries, pageSize || 50);
  const offset = (Math.max(1, page) - 1) * limit;
  const [deliveries, total] = await Promise.all([
    deliveriesOf(db, filter, { limit, offset }),
    countDeliveries(db, filter),
  ]);
  return { deliveries, total };
}

/** The deliveries that a filter leaves with their attempts, newest first. */
export async function deliveriesOf(
  db: Database,
  filter: DeliveryFilter,
  page = { limit: mostDeliveries, offset: 0 },
): Promise<DeliveryInit[]> {
  const rows = await findDeliveries(db, filter, page);
  const most = Math.min(mostOfOne, Math.floor(mostAttempts / Math.max(1, rows.length)));
  const messageIds = rows.map(({ message_id }) => message_id);
  const attempts = Map.groupBy(await attemptsOf(db, messageIds, most), ({ message_id }) => message_id);
  return rows.map((row) => present(row, attempts.get(row.message_id) ?? []));
}

const present = (row: ListedDelivery, attempts: readonly ListedAttempt[]): DeliveryInit => ({
  id: row.id,
  channelId: row.channel_id,
  channelType: row.channel_type,
  channelName: row.channel_name,
  kind: row.kind,
  target: row.target_type === null || row.target_id === null ? undefined : { type: row.target_type, id: row.target_id },
  targetName: row.target_name ?? "",
  incidentId: row.incident_id ?? "",
  status: row.status,
  attempts: attempts.map((attempt) => ({
    atMs: attempt.started_at_ms,
    statusCode: attempt.status_code ?? undefined,
    answer: attempt.answer,
    durationMs: Math.max(0, (attempt.ended_at_ms ?? attempt.started_at_ms) - attempt.started_at_ms),
  })),
  createdAtMs: row.created_at_ms,
  nextAttemptAtMs: row.status === "pending" ? row.due_at_ms : undefined,
  reminder: row.reminder,
  grouped: row.grouped,
});
