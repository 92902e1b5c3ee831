import type { Monitor } from "@sonde/proto/http/monitors";
import type { RecentCheck } from "@sonde/proto/http/recent-checks";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { formatDuration, formatPercent } from "../../lib/format.ts";
import type { Columns } from "../../lists/data-table.tsx";
import { RowActions } from "../../lists/row-actions.tsx";
import { Badge } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { KindIcon } from "../../ui/kind-icon.tsx";
import { MaintenanceBadge } from "../../ui/maintenance-badge.tsx";
import { shownState, StatusBadge } from "../../ui/status-badge.tsx";
import type { MonitorList } from "./list.ts";
import { RecentCheckBars } from "./recent-check-bars.tsx";

type ColumnOptions = {
  /** Undefined while they are on their way. */
  recentChecksOf: (monitor: Monitor) => readonly RecentCheck[] | undefined;
  onTag: (tag: string) => void;
  onDelete: (monitor: Monitor) => void;
};

/** Name, target, status, latest checks, response time, uptime, actions. On a phone the name carries what matters. */
export function useMonitorColumns(options: ColumnOptions): Columns<Monitor, MonitorList> {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return [
    {
      head: t("monitors.name"),
      sort: "name",
      className: "min-w-40 max-md:w-full max-md:max-w-0",
      cell: (monitor) => <NameCell monitor={monitor} {...options} />,
    },
    {
      head: t("monitors.url"),
      sort: "target",
      from: "lg",
      headClassName: "w-[32%] xl:w-[26%]",
      className: "max-w-80",
      cell: (monitor) => <Target monitor={monitor} className="text-[13px] text-muted" />,
    },
    {
      head: t("monitors.status"),
      sort: "status",
      from: "md",
      headClassName: "w-36",
      cell: ({ status, stale }) => <StatusBadge state={shownState(status, stale)} />,
    },
    {
      head: t("monitors.recentChecks.title"),
      from: "xl",
      headClassName: "w-40",
      cell: (monitor) => <RecentCheckBars recentChecks={options.recentChecksOf(monitor)} />,
    },
    {
      head: t("monitors.responseTime"),
      numeric: true,
      from: "md",
      headClassName: "w-36 xl:w-32",
      cell: ({ responseTime }) => formatDuration(responseTime, language),
    },
    {
      head: t("monitors.uptime"),
      numeric: true,
      from: "md",
      headClassName: "w-40",
      cell: ({ uptime }) => formatPercent(uptime.h24, language),
    },
    {
      head: t("common.actions"),
      numeric: true,
      headClassName: "md:w-36",
      className: "w-px",
      cell: (monitor) => (
        <RowActions
          name={monitor.name}
          viewAt={paths.monitor(monitor.id)}
          editAt={paths.monitorEdit(monitor.id)}
          onDelete={() => options.onDelete(monitor)}
        />
      ),
    },
  ];
}

/** The kind, as an icon, and what is checked. */
function Target({ monitor: { type, target }, className }: { monitor: Monitor; className: string }) {
  return (
    <span className={cx("flex min-w-0 items-center gap-1.5 font-mono", className)}>
      <KindIcon type={type} className="size-3.5" />
      <span title={target} className="truncate">
        {target}
      </span>
    </span>
  );
}

function NameCell({ monitor, recentChecksOf, onTag }: ColumnOptions & { monitor: Monitor }) {
  const { i18n } = useTranslation();
  const { id, name, status, stale, inMaintenance, responseTime, uptime, tags } = monitor;
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <Link to={paths.monitor(id)} className="inline-flex min-h-6 items-center font-medium hover:underline">
          {name}
        </Link>
        <MaintenanceBadge when={inMaintenance} />
        {tags.map((tag) => (
          <button
            key={tag}
            type="button"
            onClick={() => onTag(tag)}
            className="inline-flex min-h-6 items-center rounded-sm"
          >
            <Badge className="hover:text-ink">{tag}</Badge>
          </button>
        ))}
      </span>
      <Target monitor={monitor} className="text-[12px] text-faint md:max-w-72 lg:hidden" />
      <RecentCheckBars recentChecks={recentChecksOf(monitor)} className="mt-1.5 xl:hidden" />
      {/* On a phone the row's figures stand below its name: nothing of weight is scrolled out of sight. */}
      <span className="tnum mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted md:hidden">
        <StatusBadge state={shownState(status, stale)} />
        {formatDuration(responseTime, i18n.language)}
        <span>{formatPercent(uptime.h24, i18n.language)}</span>
      </span>
    </>
  );
}
