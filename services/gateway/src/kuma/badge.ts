import type { PublicMonitor } from "@sonde/proto/http/status/status";
import { makeBadge } from "badge-maker";
import { uptimeOfDay } from "./page.ts";

const colors = { good: "#66c20a", fair: "#eed202", bad: "#c2290a", info: "blue", pending: "#f8a306", none: "#999" };
const looks = {
  up: ["Up", colors.good],
  slow: ["Up", colors.good],
  down: ["Down", colors.bad],
  pending: ["Pending", colors.pending],
  maintenance: ["Maintenance", "#1747f5"],
  paused: ["N/A", colors.none],
  unknown: ["N/A", colors.none],
} as const;

export type KumaBadge = {
  kind: "status" | "uptime" | "ping";
  duration?: string | undefined;
  label?: string | undefined;
};

/** Durations of which a page has uptimes, as hours or with a unit like Uptime Kuma's addresses. */
const hoursOf: Readonly<Record<string, 24 | 720 | 2160>> = {
  "24": 24,
  "24h": 24,
  "1d": 24,
  "720": 720,
  "720h": 720,
  "30d": 720,
  "2160": 2160,
  "2160h": 2160,
  "90d": 2160,
};

/** Renders a badge as SVG; `null` for a duration without figures. The texts are English, as clients read them. */
export function makeKumaBadge(monitor: PublicMonitor, outdated: boolean, badge: KumaBadge): string | null {
  const hours = hoursOf[badge.duration ?? "24"];
  if (hours === undefined || (badge.kind === "ping" && hours !== 24)) return null;
  const svg = (label: string, message: string, color: string) =>
    makeBadge({ label: badge.label ?? label, message, color, labelColor: "#555", style: "flat" });
  switch (badge.kind) {
    case "status": {
      const [word, color] = looks[outdated ? "unknown" : monitor.status];
      return svg("Status", word, color);
    }
    case "ping": {
      const ms = meanOf(monitor.responseTimes ?? []);
      return svg(
        "Avg. Ping (24h)",
        ms === null ? "N/A" : `${Math.round(ms)}ms`,
        ms === null ? colors.none : colors.info,
      );
    }
    case "uptime": {
      const { uptime30d, uptime } = monitor;
      const percent = { 24: uptimeOfDay(monitor), 720: uptime30d ?? null, 2160: uptime }[hours];
      return svg(`Uptime (${hours}h)`, percent === null ? "N/A" : `${floor(percent)}%`, colorOf(percent));
    }
    default:
      return badge.kind satisfies never;
  }
}

/** Rounds down: 99.999 is not 100. */
const floor = (percent: number) => Math.floor(percent * 100) / 100;

function meanOf(values: readonly (number | null)[]): number | null {
  const found = values.filter((value) => value !== null);
  return found.length === 0 ? null : found.reduce((sum, value) => sum + value, 0) / found.length;
}

function colorOf(percent: number | null): string {
  if (percent === null) return colors.none;
  if (percent >= 99) return colors.good;
  return percent >= 95 ? colors.fair : colors.bad;
}
