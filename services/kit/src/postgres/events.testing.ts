import { fromBinary } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { Database } from "./database.ts";
import { listEventPage } from "./outbox.ts";

export async function listEvents(db: Database, sinceMs: number, limit: number, afterId = ""): Promise<Event[]> {
  const { events } = await listEventPage(db, sinceMs, limit, afterId);
  return events.map((bytes) => fromBinary(EventSchema, bytes));
}
