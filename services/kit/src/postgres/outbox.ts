import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { Bucket } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import type { Database } from "./database.ts";

/** Messages are written in the transaction of their row; the relay (outbox-relay.ts) publishes them afterwards. */
export const outboxMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`
      create table outbox (
        id bigint generated always as identity primary key,
        bucket text, key text,
        subject text, event_id text, bytes bytea,
        check ((bucket is null) <> (subject is null))
      );
      create table events (id text primary key, at_ms bigint not null, bytes bytea not null);
      create index events_in_order on events (at_ms, id collate "C");
    `);
  },
};

export type EventInit = MessageInitShape<typeof EventSchema>;

/**
 * Relays an event to EVENTS and stores it for 30 days. A known id is not published again. `atMs` must be the current
 * time, not that of the fact, because `listEvents` sorts by it.
 */
export const enqueueEvent = (trx: Database, init: EventInit): Promise<void> => enqueueEvents(trx, [init]);

export async function enqueueEvents(trx: Database, inits: readonly EventInit[]): Promise<void> {
  if (inits.length === 0) return;
  const events = inits.map((init) => create(EventSchema, init));
  await trx.raw(
    `with fresh as (
       insert into events select * from unnest(?::text[], ?::bigint[], ?::bytea[]) on conflict do nothing returning id, bytes
     )
     insert into outbox (subject, event_id, bytes)
     select subject, id, bytes from fresh join unnest(?::text[], ?::text[]) with ordinality as requested (requested_id, subject, place)
       on requested_id = id order by place`,
    [
      events.map(({ id }) => id),
      events.map(({ atMs }) => Math.round(atMs)),
      events.map((event) => Buffer.from(toBinary(EventSchema, event))),
      events.map(({ id }) => id),
      events.map((event) => subjectOf(event)),
    ],
  );
}

/** The relay reads the current row when it writes the key. */
export const enqueueKey = (trx: Database, bucket: Bucket, key: string): Promise<void> =>
  enqueueKeys(trx, [{ bucket, key }]);

export async function enqueueKeys(trx: Database, keys: readonly { bucket: Bucket; key: string }[]): Promise<void> {
  if (keys.length > 0) await trx("outbox").insert(keys.map(({ bucket, key }) => ({ bucket, key })));
}

/** Half of a bus message, because events travel in it as base64. */
const pageBytes = 512 * 1024;

/** Oldest first; at least one, and at most what fits in one message. `afterId` continues within `sinceMs`. */
export async function listEventPage(
  db: Database,
  sinceMs: number,
  limit: number,
  afterId: string,
): Promise<{ events: Buffer[]; more: boolean }> {
  const rows = await readEvents(db, sinceMs, limit + 1, afterId);
  let bytesLeft = pageBytes;
  const tooMany = rows.findIndex((bytes, index) => (bytesLeft -= bytes.length) < 0 && index > 0);
  const fitting = rows.slice(0, Math.min(limit, tooMany === -1 ? rows.length : tooMany));
  return { events: fitting, more: rows.length > fitting.length };
}

const readEvents = (db: Database, sinceMs: number, limit: number, afterId: string): Promise<Buffer[]> =>
  db("events")
    .whereRaw(`(at_ms, id collate "C") > (?, ?)`, [sinceMs, afterId])
    .orderByRaw(`at_ms, id collate "C"`)
    .limit(limit)
    .pluck<Buffer[]>("bytes");

function subjectOf({ id, fact }: Event): string {
  if (fact.case === "monitor") return subjects.event("monitor", fact.value.monitorId);
  if (fact.case === "agent") return subjects.event("agent", fact.value.agentId);
  const incident = fact.case === "incident" ? fact.value.incident : undefined;
  if (incident !== undefined) return subjects.event("incident", incident.id);
  throw new Error(`event ${id} has no known content`);
}
