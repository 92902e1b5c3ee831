import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../../app/paths.ts";
import { formatPercent } from "../../../lib/format.ts";
import { type Selection, toggled } from "../../../lists/data-table.tsx";
import { RowActions } from "../../../lists/row-actions.tsx";
import { cx } from "../../../ui/cx.ts";
import { Checkbox } from "../../../ui/inputs.tsx";
import { MaintenanceBadge, shownState, StatusBadge } from "../../../ui/badge.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { RecentCheckBars } from "../../../ui/health/recent-check-bars.tsx";
import { CertificateDays } from "./certificate-days.tsx";
import { type RowOptions, Target } from "./columns.tsx";
import { isFailing, Outcome } from "./outcome.tsx";
import { TagList } from "./tag-list.tsx";

type MonitorCardsProps = RowOptions & {
  /** Undefined while the first page is on its way. */
  monitors: readonly Monitor[] | undefined;
  selection: Selection<Monitor> | undefined;
};

/** The list on a phone: one card a monitor. */
export function MonitorCards({ monitors, selection, ...options }: MonitorCardsProps) {
  const { t } = useTranslation();
  return (
    <>
      {/* Before the cards come, too: it would push them down. */}
      {selection !== undefined && <SelectPage monitors={monitors ?? []} {...selection} />}
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

type SelectPageProps = Selection<Monitor> & { monitors: readonly Monitor[] };

function SelectPage({ monitors, selected, onSelect, allLabel }: SelectPageProps) {
  const ids = monitors.map(({ id }) => id);
  const count = ids.filter((id) => selected.has(id)).length;
  return (
    <Checkbox
      label={allLabel}
      className="self-start px-4 text-[13px] text-muted"
      checked={count > 0 && count === ids.length}
      indeterminate={count > 0 && count < ids.length}
      disabled={ids.length === 0}
      onChange={() => onSelect(new Set(count === 0 ? ids : []))}
    />
  );
}

type MonitorCardProps = RowOptions & { monitor: Monitor; selection: Selection<Monitor> | undefined };

function MonitorCard({ monitor, selection, recentChecksOf, onTag, onDelete }: MonitorCardProps) {
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
