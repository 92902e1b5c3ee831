import { type CheckOf, kinds } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorInput } from "@sonde/proto/http/monitors/monitors";

/** An input as a person sends it: what it leaves out has its default. */
export const inputOf = (given: Record<string, unknown>): MonitorInput => given as unknown as MonitorInput;

/** What an HTTP monitor checks, as it is shown. */
export function httpCheckOf(monitor: KnownMonitor): CheckOf<"http"> {
  if (monitor.type !== "http") throw new Error(`a ${monitor.type} check`);
  const entries = Object.entries(monitor).filter(([name]) => name === "type" || name in kinds.http.fields);
  return Object.fromEntries(entries) as CheckOf<"http">;
}
