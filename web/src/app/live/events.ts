import type { AgentEvent, DeliveryEvent, EventName, IncidentEvent, MonitorEvent } from "@sonde/proto/http/events";

/** One frame of /api/events. `id` resumes the stream; live figures have none. */
export type LiveEvent = { id: string | null } & (
  | { name: "monitor"; data: MonitorEvent }
  | { name: "incident"; data: IncidentEvent }
  | { name: "agent"; data: AgentEvent }
  | { name: "delivery"; data: DeliveryEvent }
  | { name: Exclude<EventName, "monitor" | "incident" | "agent" | "delivery">; data: unknown }
);

/** Those events that have a name. */
export function eventsNamed<Name extends EventName>(name: Name, events: readonly LiveEvent[]) {
  return events.filter((event): event is Extract<LiveEvent, { name: Name }> => event.name === name);
}

type Listener = (events: readonly LiveEvent[]) => void;
const listeners = new Set<Listener>();

/** Hears every live event of the session, in batches; answers the function that stops it. */
export function subscribeLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Hands events to everyone who listens in this tab. */
export function publishLive(events: readonly LiveEvent[]): void {
  for (const listener of listeners) listener(events);
}
