import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { RecentCheck } from "@sonde/proto/http/monitors/recent-checks";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../../app/paths.ts";
import { formatPercent } from "../../../lib/format.ts";
import type { Columns } from "../../../lists/data-table.tsx";
import { RowAction, RowActions } from "../../../lists/row-actions.tsx";
import { cx } from "../../../ui/cx.ts";
import { CopyIcon, EyeIcon, KindIcon } from "../../../ui/icons.tsx";
import { MaintenanceBadge, shownState, StatusBadge } from "../../../ui/badge.tsx";
import { RecentCheckBars } from "../../../ui/health/recent-check-bars.tsx";
import { CertificateDays } from "./certificate-days.tsx";
import type { MonitorList } from "./list.ts";
import { Outcome } from "./outcome.tsx";
import { TagList } from "./tag-list.tsx";

/** What a row of the list, or a card of it, needs beside its monitor. */
export type RowOptions = {
  /** Undefined while they are on their way. */
  recentChecksOf: (monitor: Monitor) => readonly RecentCheck[] | undefined;
  onTag: (tag: string) => void;
  onDelete: (monitor: Monitor) => void;
};

/**
 * Name over target, status, latest checks, response time or cause, uptime, certificate, actions: one line a monitor
 * where there is room. What a narrower window has no column for stands below the name, the status or the uptime.
 */
export function useMonitorColumns(options: RowOptions): Columns<Monitor, MonitorList> {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return [
    {
      head: t("monitors.name"),
      sort: "name",
      // All the width that the others leave; what is longer is cut off.
      className: "w-full max-w-0 min-w-52",
      cell: (monitor) => <NameCell monitor={monitor} {...options} />,
    },
    {
      head: t("monitors.status"),
      sort: "status",
      className: "min-w-40 lg:min-w-28",
      cell: (monitor) => (
        <>
          <StatusBadge state={shownState(monitor.status, monitor.stale)} />
          <span className="mt-0.5 block text-[13px] text-muted lg:hidden">
            <Outcome monitor={monitor} />
          </span>
        </>
      ),
    },
    {
      head: t("monitors.recentChecks.title"),
      from: "lg",
      className: "min-w-40 xl:min-w-52",
      cell: (monitor) => <RecentCheckBars recentChecks={options.recentChecksOf(monitor)} className="w-full" />,
    },
    {
      head: t("monitors.responseTime"),
      sort: "responseTime",
      from: "lg",
      className: "min-w-40 max-w-40 xl:min-w-52 xl:max-w-52",
      cell: (monitor) => <Outcome monitor={monitor} />,
    },
    {
      head: t("monitors.uptime"),
      sort: "uptime",
      headClassName: "text-right",
      className: "tnum text-right whitespace-nowrap",
      cell: ({ uptime, certificateExpiresAt }) => (
        <>
          {formatPercent(uptime.h24, language)}
          <span className="block text-[12px] xl:hidden">
            <CertificateDays at={certificateExpiresAt} named />
          </span>
        </>
      ),
    },
    {
      head: t("monitorList.certificate.title"),
      numeric: true,
      from: "xl",
      cell: ({ certificateExpiresAt }) => <CertificateDays at={certificateExpiresAt} />,
    },
    {
      head: t("common.actions"),
      numeric: true,
      className: "w-px",
      cell: (monitor) => <Actions monitor={monitor} onDelete={options.onDelete} />,
    },
  ];
}

/** Narrow windows have no room for *view*, to which the name leads too, and *clone*, which the monitor's page has. */
function Actions({ monitor, onDelete }: { monitor: Monitor; onDelete: (monitor: Monitor) => void }) {
  const { t } = useTranslation();
  const { id, name } = monitor;
  return (
    <span className="inline-flex items-center">
      <RowAction label={t("common.view")} name={name} to={paths.monitor(id)} className="max-xl:hidden">
        <EyeIcon />
      </RowAction>
      <RowActions
        name={name}
        editAt={paths.monitorEdit(id)}
        more={
          <RowAction label={t("monitors.clone")} name={name} to={paths.monitorClone(id)} className="max-xl:hidden">
            <CopyIcon />
          </RowAction>
        }
        onDelete={() => onDelete(monitor)}
      />
    </span>
  );
}

/** The kind, as an icon, and what is checked. */
export function Target({ monitor: { type, target }, className }: { monitor: Monitor; className?: string }) {
  return (
    <span className={cx("flex min-w-0 items-center gap-1.5 font-mono text-[12px] text-faint", className)}>
      <KindIcon type={type} className="size-3.5" />
      <span title={target} className="truncate">
        {target}
      </span>
    </span>
  );
}

/** As many letters as a line holds beside two tags; Chinese ones are twice as wide. */
const lineLetters = 28;
const lettersOf = (text: string) => text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0);

/** How many tags have room beside a name. By letters: measuring each row would cost a layout of the page. */
function fitting(name: string, tags: readonly string[]): number {
  const letters = [name, ...tags.slice(0, 2)].reduce((sum, text) => sum + lettersOf(text), 0);
  return letters <= lineLetters ? 2 : 1;
}

function NameCell({ monitor, recentChecksOf, onTag }: { monitor: Monitor } & RowOptions) {
  const { id, name, inMaintenance, tags } = monitor;
  return (
    <>
      <span className="flex min-w-0 items-center gap-x-2">
        <Link
          to={paths.monitor(id)}
          title={name}
          // Tags are cut off before the name is: only a very long one leaves them some room.
          className={cx(
            "flex min-h-6 shrink-0 items-center font-medium hover:underline",
            tags.length > 0 ? "max-w-3/5" : "max-w-full",
          )}
        >
          <span className="truncate">{name}</span>
        </Link>
        <TagList tags={tags} most={fitting(name, tags)} onTag={onTag} />
      </span>
      <span className="flex min-h-6 min-w-0 items-center gap-x-2">
        <MaintenanceBadge when={inMaintenance} />
        <Target monitor={monitor} />
      </span>
      <RecentCheckBars recentChecks={recentChecksOf(monitor)} className="mt-1 mb-0.5 w-45 max-w-full lg:hidden" />
    </>
  );
}
