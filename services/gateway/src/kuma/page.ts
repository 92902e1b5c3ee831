import type { PublicIncident, PublicMonitor, PublicStatus } from "@sonde/proto/http/status/status";

/** Uptime Kuma's numbers for states. Other states are pending. */
export const kumaCodes = { down: 0, up: 1, pending: 2, maintenance: 3 } as const;
const codeOf = ({ status }: Pick<PublicMonitor, "status">) => {
  if (status === "up" || status === "slow") return kumaCodes.up;
  return status === "down" || status === "maintenance" ? kumaCodes[status] : kumaCodes.pending;
};

/** Days before the current state, oldest first. */
const beatDays = 29;

/** Uptime Kuma's format of instants, in UTC: `2026-01-31 12:00:00.000`. */
const timeOf = (instant: string | number): string => new Date(instant).toISOString().replace("T", " ").replace("Z", "");

/** Percent over the last 24 hours, else of the current day. */
export const uptimeOfDay = ({ uptime24h, days }: PublicMonitor): number | null =>
  uptime24h ?? days.at(-1)?.uptime ?? null;

/** Returns what Uptime Kuma's `GET /api/status-page/:slug` does. */
export function kumaPage(slug: string, status: PublicStatus) {
  const { title, description, theme, logoUrl = "", monitors } = status;
  const names = new Map(monitors.map(({ id, name }) => [id, name]));
  const groups = status.groups
    .map(({ name, targets }) => ({
      name: name ?? "Services",
      monitorList: targets
        .filter(({ type }) => type === "monitor")
        .map(({ id }) => ({ id, name: names.get(id) ?? "", sendUrl: 0 })),
    }))
    .filter(({ monitorList }) => monitorList.length > 0);
  const open = status.incidents.find(({ kind, closedAt }) => kind === "announced" && closedAt === undefined);
  return {
    config: {
      slug,
      title,
      description,
      icon: logoUrl,
      theme: theme.mode,
      autoRefreshInterval: 60,
      published: true,
      showTags: false,
      customCSS: "",
      footerText: "",
      showPoweredBy: false,
      googleAnalyticsId: null,
      showCertificateExpiry: false,
    },
    incident: open === undefined ? null : pinned(open),
    publicGroupList: groups.map((group, index) => ({ id: index + 1, weight: index + 1, ...group })),
    maintenanceList: status.maintenance
      .filter((window) => window.status === "running")
      .map(({ id, name, note, start, end, timeZone }) => ({
        id,
        title: name,
        description: note?.text ?? "",
        active: true,
        status: "under-maintenance",
        timezone: timeZone,
        timeslotList: [{ startDate: start, endDate: end }],
      })),
  };
}

function pinned({ id, title = "", impact, openedAt, updates }: PublicIncident) {
  return {
    id: Number(id.slice(1)),
    style: impact === "minor" ? "warning" : "danger",
    title,
    content: updates[0]?.text ?? "",
    pin: 1,
    createdDate: timeOf(openedAt),
    lastUpdatedDate: updates[0] === undefined ? null : timeOf(updates[0].at),
  };
}

/**
 * Returns what Uptime Kuma's `GET /api/status-page/heartbeat/:slug` does for a page with bars of days: a beat per day
 * with data, then the current state. That is pending if the data is outdated: no data is neither up nor down.
 */
export function kumaHeartbeats({ monitors, updatedAt, outdated }: PublicStatus) {
  const beat = (status: number, time: string, ping: number | null = null) => ({ status, time, msg: "", ping });
  const beatsOf = (monitor: PublicMonitor) => [
    ...monitor.days
      .slice(-beatDays - 1, -1)
      .filter(({ uptime }) => uptime !== null)
      .map(({ date, uptime }) => beat(uptime === 100 ? kumaCodes.up : kumaCodes.down, `${date} 23:59:59.000`)),
    beat(outdated ? kumaCodes.pending : codeOf(monitor), timeOf(updatedAt ?? 0), monitor.responseTime ?? null),
  ];
  const uptimes = monitors.flatMap((monitor) => {
    const uptime = uptimeOfDay(monitor);
    return uptime === null ? [] : [[`${monitor.id}_24`, Math.round(uptime * 1000) / 1e5] as const];
  });
  return {
    heartbeatList: Object.fromEntries(monitors.map((monitor) => [monitor.id, beatsOf(monitor)])),
    uptimeList: Object.fromEntries(uptimes),
  };
}
