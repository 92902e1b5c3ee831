import type { MonitorEvent } from "@sonde/proto/http/events";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import {
  eventsNamed,
  type LiveEvent,
  isIncidentOf,
  keepListLive,
  keepLive,
  keepRefetched,
  isOlderLive,
  removeRow,
} from "../../app/live/events.ts";

type MonitorsPage = { monitors: Monitor[]; total: number };

/** What a live event changes of one monitor. Events of other monitors, and of the past, change nothing. */
export function applyToMonitor(monitor: Monitor, event: MonitorEvent): void {
  if (event.id !== monitor.id) return;
  if (event.change === "figures") {
    // Two tabs, or a replay: older figures never win over newer ones.
    if (isOlderLive(event.lastCheckedAt, monitor.lastCheckedAt)) return;
    const { id: _id, change: _change, lastError, ...figures } = event;
    Object.assign(monitor, figures);
    if (lastError === undefined) delete monitor.lastError;
    else monitor.lastError = lastError;
    return;
  }
  if (event.change === "state" && event.status !== undefined) {
    if (isOlder(event.statusSince ?? event.at, monitor.statusSince)) return;
    monitor.status = event.status;
    monitor.statusSince = event.statusSince ?? event.at;
  }
  if (event.change === "updated" && event.name !== undefined) monitor.name = event.name;
}

function isOlder(instant: string | null, than: string | null): boolean {
  return instant !== null && than !== null && Date.parse(instant) < Date.parse(than);
}

/** What one page of the list shows of an event. Answers whether the page may hold other rows now. */
export function applyToPage(page: MonitorsPage, event: MonitorEvent): boolean {
  if (event.change === "deleted") removeRow(page, page.monitors, event.id);
  else for (const monitor of page.monitors) applyToMonitor(monitor, event);
  return event.change !== "figures";
}

/** Uptime and the next check come with the monitor itself, which is asked for at this pace while checks go on. */
const monitorEveryMs = 10_000;
const recordsEveryMs = 3000;
const recentChecksEveryMs = 10_000;

/** Keeps a page of the list live. */
export const keepPageLive = keepListLive(
  "MonitorList",
  (page: MonitorsPage, { name, data }) => name === "monitor" && applyToPage(page, data),
);

/** Keeps one monitor live. */
export const keepMonitorLive = keepLive(
  (id: number) => ({ type: "Monitor", id }),
  (events, id, update: (change: (answer: { monitor: Monitor }) => void) => void) => {
    const own = eventsNamed("monitor", events).filter(({ data }) => data.id === id);
    if (own.length === 0) return null;
    update(({ monitor }) => {
      for (const { data } of own) applyToMonitor(monitor, data);
    });
    return own.every(({ data }) => data.change === "figures") ? monitorEveryMs : 0;
  },
);

/** Keeps the recent checks of a page's monitors live. */
export const keepRecentChecksLive = keepRefetched(
  () => "RecentChecks",
  ({ name, data }, ids: readonly number[]) =>
    name === "monitor" && ids.includes(data.id) ? recentChecksEveryMs : null,
);

/** Keeps what grows with a monitor's checks live. */
export function keepRecordsLive(type: "History" | "Checks") {
  return keepRefetched(
    ({ id }: { id: number }) => ({ type, id }),
    ({ name, data }, { id }) => (name === "monitor" && data.id === id ? recordsEveryMs : null),
  );
}

/** Keeps a monitor's incidents live: they come with events of their own, and go with changes of the monitor. */
export const keepIncidentsLive = keepRefetched(
  (id: number) => ({ type: "Incidents", id }),
  (event, id) => (isIncidentOf("monitor", id, event) || isChangeOf(id, event) ? recordsEveryMs : null),
);

function isChangeOf(id: number, { name, data }: LiveEvent): boolean {
  return name === "monitor" && data.id === id && data.change !== "figures";
}
