import { isOlderLive } from "../../lib/is-older-live.ts";
import type { Monitor } from "@sonde/proto/http/monitors";
import type { MonitorEvent } from "@sonde/proto/http/events";

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

/** What one page of the list shows of an event. Answers whether the page must be asked for anew: its rows may be others now. */
export function applyToPage(page: { monitors: Monitor[]; total: number }, event: MonitorEvent): boolean {
  if (event.change === "deleted") {
    const before = page.monitors.length;
    page.monitors = page.monitors.filter(({ id }) => id !== event.id);
    page.total -= before - page.monitors.length;
    return true;
  }
  for (const monitor of page.monitors) applyToMonitor(monitor, event);
  return event.change !== "figures";
}
