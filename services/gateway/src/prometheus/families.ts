import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import type { ScrapedMonitor } from "@sonde/proto/rpc/monitors";
import type { MonitorPhases, MonitorUptime } from "@sonde/proto/rpc/metrics";
import type { Slo } from "@sonde/proto/http/slos";
import { isDegraded } from "@sonde/proto/http/monitors/groups";
import { type Family, labelText, type Series } from "./text.ts";

/** `null` if the service is unavailable; its series are then absent. */
export type Readings = {
  monitors: readonly ScrapedMonitor[];
  agents: readonly KnownAgent[];
  uptimes: ReadonlyMap<number, MonitorUptime> | null;
  phases: ReadonlyMap<number, MonitorPhases> | null;
  slos: readonly Slo[] | null;
  openIncidents: Readonly<Partial<Record<IncidentKind, number>>>;
  inMaintenance: Readonly<Record<"monitor" | "agent", ReadonlySet<number>>>;
};

type Value = number | boolean | null | undefined;
type Labelled = readonly [label: string, value: Value];
type Known<Item> = { item: Item; labels: string };

function* seriesOf<Item>(
  items: readonly Known<Item>[],
  valuesOf: (item: Item) => Value | readonly Labelled[],
): Generator<Series> {
  for (const { item, labels } of items) {
    const found = valuesOf(item);
    if (typeof found !== "object") {
      if (found !== undefined) yield [labels, Number(found)];
      continue;
    }
    for (const [label, value] of found ?? []) {
      if (value !== null && value !== undefined) yield [`${labels},${label}`, Number(value)];
    }
  }
}

const seconds = (instant: string | null | undefined) => (instant == null ? null : Date.parse(instant) / 1000);
const ratio = (percent: number | null | undefined) => (percent == null ? null : Math.round(percent * 1e4) / 1e6);
const inSeconds = (ms: number | undefined) => (ms === undefined ? null : ms / 1000);

/** Tags are separate series, joined by `id`: changing them ends no series. */
export function familiesOf({
  monitors,
  agents,
  uptimes,
  phases,
  slos,
  openIncidents,
  inMaintenance,
}: Readings): Family[] {
  // With ten thousand monitors, writing labels is most of the work.
  const knownMonitors = monitors.map((item) => {
    const { id, name, type } = item;
    return { item, labels: labelText({ id, name, type }) };
  });
  const knownAgents = agents.map((item) => ({ item, labels: labelText({ id: item.id, name: item.name }) }));
  const ofMonitors = (
    name: string,
    help: string,
    valuesOf: (monitor: ScrapedMonitor) => Value | readonly Labelled[],
  ) => ({
    name: `sonde_monitor_${name}`,
    help,
    series: seriesOf(knownMonitors, valuesOf),
  });
  const knownSlos = (slos ?? []).map((item) => ({ item, labels: labelText({ id: item.id, name: item.name }) }));
  const ofSlos = (name: string, help: string, valueOf: (slo: Slo) => Value) => ({
    name: `sonde_slo_${name}`,
    help,
    series: seriesOf(knownSlos, (slo) => valueOf(slo) ?? []),
  });
  const ofAgents = (name: string, help: string, valuesOf: (agent: KnownAgent) => Value | readonly Labelled[]) => ({
    name: `sonde_agent_${name}`,
    help,
    series: seriesOf(knownAgents, valuesOf),
  });
  const isKnown = ({ status, stale }: ScrapedMonitor) => !stale && (status === "up" || status === "down");
  return [
    ofMonitors("up", "1 if it is up, 0 if it is down; absent if unknown", (monitor) =>
      isKnown(monitor) ? monitor.status === "up" : null,
    ),
    ofMonitors("slow", "1 if it is up, but slower than its limit, or a group with members down", isDegraded),
    ofMonitors("paused", "1 if it is paused", ({ status }) => status === "paused"),
    ofMonitors("stale", "1 if three consecutive checks are missing", ({ stale }) => stale),
    ofMonitors("in_maintenance", "1 if it is in maintenance", ({ id }) => inMaintenance.monitor.has(id)),
    ofMonitors("response_seconds", "Phases of the newest successful check in the last 15 minutes", ({ id }) => {
      const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = phases?.get(id) ?? {};
      return [
        ['phase="dns"', inSeconds(dnsMs)],
        ['phase="connect"', inSeconds(connectMs)],
        ['phase="tls"', inSeconds(tlsMs)],
        ['phase="first_byte"', inSeconds(firstByteMs)],
        ['phase="total"', inSeconds(totalMs)],
      ];
    }),
    ofMonitors(
      "uptime_ratio",
      "Share of successful checks, or of time for groups, excluding maintenance",
      ({ id, groupUptime = uptimes?.get(id) }) => [
        ['window="24h"', ratio(groupUptime?.h24)],
        ['window="30d"', ratio(groupUptime?.d30)],
      ],
    ),
    ofMonitors(
      "certificate_expiry_timestamp_seconds",
      "Expiry of its certificate or domain",
      ({ certificateExpiresAt }) => seconds(certificateExpiresAt),
    ),
    {
      name: "sonde_monitor_tag",
      help: "1 for each tag of a monitor",
      series: monitors.flatMap(({ id, tags }) => tags.map((tag): Series => [labelText({ id, tag }), 1])),
    },
    ofAgents("up", "1 if it is online, 0 if it is offline; absent before its first report", ({ status }) =>
      status === "connecting" ? null : status === "online",
    ),
    ofAgents("in_maintenance", "1 if it is in maintenance", ({ id }) => inMaintenance.agent.has(id)),
    ofAgents("last_report_timestamp_seconds", "Time of its last report", ({ lastSeen }) => seconds(lastSeen)),
    ofAgents("cpu_usage_ratio", "CPU usage in its last report", ({ latest }) => ratio(latest?.cpu?.usage)),
    ofAgents("memory_usage_ratio", "Memory usage in its last report", ({ latest }) => ratio(latest?.memory?.usage)),
    ofAgents("disk_usage_ratio", "Disk usage by file system in its last report", ({ latest }) =>
      (latest?.disks ?? []).map(({ mountPoint, usage }): Labelled => [
        labelText({ mount_point: mountPoint }),
        ratio(usage),
      ]),
    ),
    ofAgents("load1", "1-minute load average in its last report", ({ latest }) => latest?.load?.one),
    ofSlos("budget_left_ratio", "Share of its error budget that is left, negative if more was spent", ({ budget }) =>
      budget === undefined || budget.allowedMinutes === 0 ? null : budget.leftMinutes / budget.allowedMinutes,
    ),
    ofSlos("burn_rate", "Speed at which it spent its error budget over the last hour", ({ burnRate }) => burnRate),
    {
      name: "sonde_incident_open",
      help: "Open incidents by kind",
      series: Object.entries(openIncidents).map(([kind, value]): Series => [labelText({ kind }), value]),
    },
  ];
}
