import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { RecentCheck } from "@sonde/proto/http/monitors/recent-checks";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../../app/paths.ts";
import { formatDateTime, formatDays, formatDuration, formatPercent } from "../../../lib/format.ts";
import { useFromNow } from "../../../lib/hooks.ts";
import { type Columns, SelectAll, type Selection, toggled } from "../../../lists/data-table.tsx";
import { RowAction, RowActions } from "../../../lists/row-actions.tsx";
import { MaintenanceBadge, shownState, StatusBadge } from "../../../ui/badge.tsx";
import { cx } from "../../../ui/cx.ts";
import { Reason } from "../../../ui/health/reason.tsx";
import { RecentCheckBars } from "../../../ui/health/recent-check-bars.tsx";
import { CopyIcon, EyeIcon, KindIcon } from "../../../ui/icons.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { NameLink } from "../../../lists/name-link.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import type { MonitorList } from "./list.ts";
import { TagList } from "./tags.tsx";

/** What a row of the list, or a card of it, needs beside its monitor. */
type RowOptions = {
  /** Undefined while they are on their way. */
  recentChecksOf: (monitor: Monitor) => readonly RecentCheck[] | undefined;
  onTag: (tag: string) => void;
  onDelete: (monitor: Monitor) => void;
};

/**
 * Name over target, status, latest checks, response time or cause, uptime, certificate, actions: one line a monitor
 * where there is room. What a narrower window has no column for is below the name, the status or the uptime.
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

function Target({ monitor: { type, target } }: { monitor: Monitor }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-mono text-[12px] text-faint">
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
        {/* Tags are cut off before the name is: only a very long one leaves them some room. */}
        <NameLink
          to={paths.monitor(id)}
          name={name}
          className={cx("shrink-0", tags.length > 0 ? "max-w-3/5" : "max-w-full")}
        />
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

/** Whether a row shows why its monitor is down, instead of how long the answer took. */
function isFailing({ status, stale, lastError }: Monitor): boolean {
  return shownState(status, stale) === "down" && lastError !== undefined;
}

/** What the last check came to: its response time or, of a monitor that is down, the cause in at most two lines. */
function Outcome({ monitor }: { monitor: Monitor }) {
  const { i18n } = useTranslation();
  if (!isFailing(monitor)) {
    return <span className="tnum whitespace-nowrap">{formatDuration(monitor.responseTime, i18n.language)}</span>;
  }
  return (
    <span
      // The whole of it, in the reader's language, where two lines do not hold it.
      onPointerEnter={({ currentTarget }) => (currentTarget.title = currentTarget.textContent)}
      className="line-clamp-2 text-[13px] leading-snug text-down-ink"
    >
      <Reason text={monitor.lastError} />
    </span>
  );
}

const dayMs = 86_400_000;
/** From here on it is worth a look: renewals come 30 days before the end as a rule, and most checks fail at 14. */
const soonDays = 14;

/** How many days a certificate is still valid; nothing where there is none. `named` adds what the days are of. */
function CertificateDays({ at, named = false }: { at: string | undefined; named?: boolean }) {
  const { t, i18n } = useTranslation();
  const days = useFromNow((nowMs) => (at === undefined ? 0 : Math.floor((Date.parse(at) - nowMs) / dayMs)));
  if (at === undefined) return null;
  const left = days < 0 ? t("monitorList.certificate.expired") : formatDays(days, i18n.language);
  const date = formatDateTime(at, i18n.language);
  return (
    <time
      dateTime={at}
      title={t(days < 0 ? "monitorList.certificate.since" : "monitorList.certificate.until", { date })}
      className={cx(
        "tnum whitespace-nowrap",
        days < 0 ? "text-down-ink" : days <= soonDays ? "text-warn-ink" : "text-muted",
      )}
    >
      {named ? t("monitorList.certificate.short", { left }) : left}
    </time>
  );
}

type MonitorCardsProps = RowOptions & {
  /** Undefined while the first page is on its way. */
  monitors: readonly Monitor[] | undefined;
  selection: Selection<Monitor> | undefined;
};

export function MonitorCards({ monitors, selection, ...options }: MonitorCardsProps) {
  const { t } = useTranslation();
  return (
    <>
      {/* Before the cards come, too: it would push them down. */}
      {selection !== undefined && (
        <SelectAll
          items={monitors ?? []}
          selection={selection}
          label={selection.allLabel}
          className="self-start px-4 text-[13px] text-muted"
          disabled={(monitors ?? []).length === 0}
        />
      )}
      <ul aria-label={t("monitors.title")} className="flex flex-col gap-3">
        {monitors?.map((monitor) => (
          <MonitorCard key={monitor.id} monitor={monitor} selection={selection} {...options} />
        )) ??
          Array.from({ length: 6 }, (_, index) => (
            <li key={index}>
              <Skeleton className="h-[164px] w-full rounded-lg" />
            </li>
          ))}
      </ul>
    </>
  );
}

function MonitorCard(props: RowOptions & { monitor: Monitor; selection: Selection<Monitor> | undefined }) {
  const { monitor, selection, recentChecksOf, onTag, onDelete } = props;
  const { t, i18n } = useTranslation();
  const { id, name, status, stale, inMaintenance, uptime, certificateExpiresAt, tags } = monitor;
  const isSelected = selection?.selected.has(id) ?? false;
  const failing = isFailing(monitor);
  return (
    <li
      data-row
      className={cx(
        "flex min-w-0 flex-col gap-2 rounded-lg border border-line p-4",
        isSelected ? "bg-accent-soft/60" : "bg-surface",
      )}
    >
      <div className="flex items-start gap-2">
        {selection !== undefined && (
          <Checkbox
            aria-label={selection.labelOf(monitor)}
            checked={isSelected}
            onChange={() => selection.onSelect(toggled(selection.selected, id))}
          />
        )}
        <div className="min-w-0 flex-1">
          <Link to={paths.monitor(id)} className="inline-flex min-h-6 items-center font-semibold hover:underline">
            <span className="line-clamp-2">{name}</span>
          </Link>
          <Target monitor={monitor} />
        </div>
        <span className="flex shrink-0 flex-col items-end gap-1">
          <StatusBadge state={shownState(status, stale)} />
          <MaintenanceBadge when={inMaintenance} />
        </span>
      </div>
      <RecentCheckBars recentChecks={recentChecksOf(monitor)} className="w-full" />
      {failing && <Outcome monitor={monitor} />}
      <TagList tags={tags} most={2} onTag={onTag} />
      <div className="flex min-h-8 items-center justify-between gap-2">
        <span className="tnum flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
          {!failing && (
            <span>
              <span className="sr-only">{t("monitors.responseTime")} </span>
              <Outcome monitor={monitor} />
            </span>
          )}
          <span>
            <span className="sr-only">{t("monitors.uptime")} </span>
            {formatPercent(uptime.h24, i18n.language)}
          </span>
          <CertificateDays at={certificateExpiresAt} named />
        </span>
        <RowActions name={name} editAt={paths.monitorEdit(id)} onDelete={() => onDelete(monitor)} />
      </div>
    </li>
  );
}
