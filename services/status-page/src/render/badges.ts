import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { type PublicMonitor, type PublicState, verdictOf, type BadgeKind } from "@sonde/proto/http/status/status";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { makeBadge } from "badge-maker";
import { words } from "./view.ts";

const colors = { good: "#2e7d32", fair: "#a86400", bad: "#c62828", neutral: "#6b7280" } as const;

/** Renders a badge as SVG. `null` if the page hides its value, which only applies to response times. */
export function makeStatusBadge(
  kind: BadgeKind,
  monitor: PublicMonitor,
  page: Pick<PageSnapshot["page"], "showResponseTimes">,
  language: PageLanguage,
): string | null {
  const { badge, noUptime: noData } = words[language];
  switch (kind) {
    case "status":
      return svg(monitor.name, badge.states[monitor.status], colorOf(monitor.status));
    case "uptime":
      return svg(badge.uptime, percent(monitor.uptime) ?? noData, colorOfUptime(monitor.uptime));
    case "response": {
      if (!page.showResponseTimes) return null;
      const { responseTime } = monitor;
      return svg(
        badge.response,
        responseTime === undefined ? noData : `${Math.round(responseTime)} ms`,
        responseTime === undefined ? colors.neutral : colors.good,
      );
    }
    default:
      return kind satisfies never;
  }
}

const svg = (label: string, message: string, color: string) =>
  makeBadge({ label, message, color, labelColor: "#374151", style: "flat" });

function colorOf(state: PublicState): string {
  const verdict = verdictOf(state);
  if (state === "slow") return colors.fair;
  if (verdict === null) return colors.neutral;
  return verdict === "well" ? colors.good : colors.bad;
}

function colorOfUptime(uptime: number | null): string {
  if (uptime === null) return colors.neutral;
  if (uptime >= 99.5) return colors.good;
  return uptime >= 95 ? colors.fair : colors.bad;
}

/** Rounds down: 99.999 is not 100. */
function percent(value: number | null): string | null {
  if (value === null) return null;
  return `${Math.floor(value * 100) / 100}%`;
}
