import { listEvents as read } from "@sonde/kit/postgres/outbox";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Event } from "@sonde/proto/gen/events/v1/events";
import type { ListEventsRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";

const mostEvents = 1_000;

/** Events since an instant, oldest first, and whether there are more. */
export async function listEvents(
  { db }: Context,
  { sinceMs, limit, afterId }: ListEventsRequest,
): Promise<{ events: Event[]; more: boolean }> {
  const asked = Math.min(mostEvents, limit || mostEvents);
  const events = await orUnavailable(() => read(db, Math.ceil(sinceMs), asked + 1, afterId));
  return { events: events.slice(0, asked), more: events.length > asked };
}
