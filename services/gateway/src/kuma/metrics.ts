import type { ScrapedMonitor } from "@sonde/proto/rpc/monitors";
import type { Readings } from "../prometheus/families.ts";
import { type Family, labelText, type Series } from "../prometheus/text.ts";
import { kumaCodes } from "./page.ts";

const dayMs = 86_400_000;

/** Uptime Kuma's names of kinds. Others have the same name, or none there. */
const types: Readonly<Record<string, string>> = {
  tcp: "port",
  icmp: "ping",
  heartbeat: "push",
  grpc: "grpc-keyword",
  ntp: "unknown",
};

/** Returns what Uptime Kuma's `GET /metrics` does, except that its labels of hosts and ports are always `null`. */
export function kumaFamilies({ monitors, phases, inMaintenance }: Readings, nowMs: number): Family[] {
  const labelled = monitors.map((monitor) => {
    const { id, name, type, target = "null" } = monitor;
    const labels = { monitor_id: id, monitor_name: name, monitor_type: types[type] ?? type, monitor_url: target };
    return { monitor, labels: labelText({ ...labels, monitor_hostname: "null", monitor_port: "null" }) };
  });
  const family = (name: string, help: string, valueOf: (monitor: ScrapedMonitor) => number | undefined): Family => ({
    name: `monitor_${name}`,
    help,
    series: labelled.flatMap(({ monitor, labels }): Series[] => {
      const value = valueOf(monitor);
      return value === undefined ? [] : [[labels, value]];
    }),
  });
  const daysLeft = ({ certificateExpiresAt: expiry }: ScrapedMonitor) =>
    expiry === undefined ? undefined : Math.floor((Date.parse(expiry) - nowMs) / dayMs);
  const isValid = (monitor: ScrapedMonitor) => {
    const days = daysLeft(monitor);
    return days === undefined ? undefined : Number(days >= 0);
  };
  const codeOf = ({ id, status, stale }: ScrapedMonitor) => {
    if (inMaintenance.monitor.has(id) || status === "paused") return kumaCodes.maintenance;
    return stale || status === "pending" ? kumaCodes.pending : kumaCodes[status];
  };
  return [
    family("cert_days_remaining", "Days until the certificate expires", daysLeft),
    family("cert_is_valid", "1 if the certificate has not expired", isValid),
    family("response_time", "Response time in milliseconds", ({ id }) => phases?.get(id)?.totalMs),
    family("status", "1: up, 0: down, 2: pending, 3: maintenance or paused", codeOf),
  ];
}
