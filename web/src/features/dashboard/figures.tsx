import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { formatNumber, formatPercent } from "../../lib/format.ts";
import { Tile, TileRow } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import type { Dashboard } from "./live.ts";

type FiguresProps = { dashboard: Dashboard; isEmpty: boolean };

export function Figures({ dashboard: { monitors, uptime, incidents }, isEmpty }: FiguresProps) {
  const { t, i18n } = useTranslation();
  const figure = (value: ReactNode, to: string) => (
    <Link to={to} className="rounded-sm hover:underline">
      {value}
    </Link>
  );
  const number = (value: number | null | undefined, to: string) =>
    value == null ? "–" : figure(formatNumber(value, i18n.language), to);
  const noteOf = <Known,>(part: Known | null, note: (part: Known) => ReactNode) =>
    part === null ? t("dashboard.unavailable") : note(part);
  const monitorsNote = (status: "down" | "paused", className: string) =>
    noteOf(monitors, ({ [status]: count }) =>
      count > 0 ? (
        <Link to={`${paths.monitors}?status=${status}`} className={cx(className, "hover:underline")}>
          {t(`dashboard.${status}`, { count })}
        </Link>
      ) : null,
    );
  return (
    <TileRow className="lg:grid-cols-4">
      <Tile
        label={t("dashboard.total")}
        value={number(monitors?.total, paths.monitors)}
        note={monitorsNote("down", "text-down-ink")}
      />
      <Tile
        label={t("dashboard.active")}
        value={number(monitors?.active, `${paths.monitors}?status=active`)}
        note={monitorsNote("paused", "")}
      />
      <Tile
        label={t("dashboard.uptime")}
        value={
          uptime?.h24 == null ? "–" : figure(formatPercent(uptime.h24, i18n.language), `${paths.monitors}?sort=uptime`)
        }
        note={noteOf(
          uptime,
          ({ d30 }) =>
            `${t("dashboard.uptimeNote")} · ${t("dashboard.uptimeNote30", { percent: formatPercent(d30, i18n.language) })}`,
        )}
      />
      <Tile
        label={t("dashboard.incidents")}
        value={number(incidents, `${paths.incidents}?open=true`)}
        tone={(incidents ?? 0) > 0 ? "down" : "plain"}
        note={noteOf(incidents, (count) => (count === 0 && !isEmpty ? t("dashboard.allWell") : null))}
      />
    </TileRow>
  );
}
