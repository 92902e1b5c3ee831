import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { formatNumber, formatPercent } from "../../lib/format.ts";
import { Tile, TileRow } from "../../ui/card.tsx";
import type { Dashboard } from "./live.ts";

/** The totals. Each figure leads to the list that it counts. */
export function Figures({ dashboard, isEmpty }: { dashboard: Dashboard; isEmpty: boolean }) {
  const { t, i18n } = useTranslation();
  const { monitors, uptime, incidents } = dashboard;
  const number = (value: number | undefined, to: string) =>
    value === undefined ? "–" : <Figure to={to}>{formatNumber(value, i18n.language)}</Figure>;
  const noteOf = <Part,>(part: Part | null, note: (part: Part) => ReactNode) =>
    part === null ? t("dashboard.unavailable") : note(part);
  return (
    <TileRow className="lg:grid-cols-4">
      <Tile
        label={t("dashboard.total")}
        value={number(monitors?.total, paths.monitors)}
        note={noteOf(monitors, ({ down }) =>
          down > 0 ? (
            <Link to={`${paths.monitors}?status=down`} className="text-down-ink hover:underline">
              {t("dashboard.down", { count: down })}
            </Link>
          ) : null,
        )}
      />
      <Tile
        label={t("dashboard.active")}
        value={number(monitors?.active, `${paths.monitors}?status=active`)}
        note={noteOf(monitors, ({ paused }) =>
          paused > 0 ? (
            <Link to={`${paths.monitors}?status=paused`} className="hover:underline">
              {t("dashboard.paused", { count: paused })}
            </Link>
          ) : null,
        )}
      />
      <Tile
        label={t("dashboard.uptime")}
        value={
          uptime?.h24 == null ? (
            "–"
          ) : (
            <Figure to={`${paths.monitors}?sort=uptime`}>{formatPercent(uptime.h24, i18n.language)}</Figure>
          )
        }
        note={noteOf(
          uptime,
          ({ d30 }) =>
            `${t("dashboard.uptimeNote")} · ${t("dashboard.uptimeNote30", { percent: formatPercent(d30, i18n.language) })}`,
        )}
      />
      <Tile
        label={t("dashboard.incidents")}
        value={number(incidents ?? undefined, `${paths.incidents}?open=true`)}
        tone={(incidents ?? 0) > 0 ? "down" : "plain"}
        note={noteOf(incidents, (count) => (count === 0 && !isEmpty ? t("dashboard.allWell") : null))}
      />
    </TileRow>
  );
}

function Figure({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="rounded-sm hover:underline">
      {children}
    </Link>
  );
}
