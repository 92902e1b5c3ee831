import type {
  AgentEvent,
  DeliveryEvent,
  EventName,
  IncidentEvent,
  MonitorChecking,
  MonitorEvent,
} from "@sonde/proto/http/events";

/** One frame of /api/events. `id` resumes the stream; live figures have none. */
export type LiveEvent = { id: string | null } & (
  | { name: "monitor"; data: Exclude<MonitorEvent, MonitorChecking> }
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

/** Receives every live event of the session, in batches; answers the function that stops it. */
export function subscribeLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

type CheckingListener = (checking: MonitorChecking) => void;
const checkingListeners = new Set<CheckingListener>();

/** Receives how far checks by hand have come. They change nothing of a monitor, so no one else is notified. */
export function subscribeChecking(listener: CheckingListener): () => void {
  checkingListeners.add(listener);
  return () => void checkingListeners.delete(listener);
}

type CheckingEvent = { id: null; name: "monitor"; data: MonitorChecking };
const isChecking = (event: LiveEvent | CheckingEvent): event is CheckingEvent =>
  event.name === "monitor" && event.data.change === "checking";

/** Hands events to everyone who listens in this tab. */
export function publishLive(events: readonly (LiveEvent | CheckingEvent)[]): void {
  const changes: LiveEvent[] = [];
  for (const event of events) {
    if (!isChecking(event)) changes.push(event);
    else for (const listener of checkingListeners) listener(event.data);
  }
  if (changes.length > 0) for (const listener of listeners) listener(changes);
}
