import { type CheckOf, kinds } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorInput } from "@sonde/proto/http/monitors/monitors";

/** An input as a user sends it; absent fields get their defaults. */
export const inputOf = (given: Record<string, unknown>): MonitorInput => given as unknown as MonitorInput;

export function httpCheckOf(monitor: KnownMonitor): CheckOf<"http"> {
  if (monitor.type !== "http") throw new Error(`unexpected kind ${monitor.type}`);
  const entries = Object.entries(monitor).filter(([name]) => name === "type" || name in kinds.http.fields);
  return Object.fromEntries(entries) as CheckOf<"http">;
}
