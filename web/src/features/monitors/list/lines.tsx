import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, memo, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { formatPercent } from "../../../lib/format.ts";
import { useGrowing } from "../../../lists/growing.ts";
import { SelectAll } from "../../../lists/data-table.tsx";
import { isRange, type Selection, useRangeToggle } from "../../../lists/selection.ts";
import { shownState, StateMark } from "../../../ui/badge.tsx";
import { cx } from "../../../ui/cx.ts";
import { Reason } from "../../../ui/health/reason.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { FoldButton, useIsUnfolded } from "../group/folds.tsx";
import { MonitorMenu } from "./actions.tsx";
import type { RowAct } from "./row-act.ts";
import { isFailing, Latest, MonitorBars, MonitorNotes, P95Change } from "./cells.tsx";

type MonitorLinesProps = {
  label: string;
  monitors: readonly Monitor[] | undefined;
  selection: Selection<Monitor> | undefined;
  sort: string;
  onAct: RowAct;
};

const GroupMembers = lazy(() => import("../group/members.tsx"));

const linePx = 64;

export function MonitorLines({ label, monitors, selection, sort, onAct }: MonitorLinesProps) {
  const { count, restPx, end } = useGrowing<HTMLLIElement>(monitors?.length ?? 0, linePx, sort);
  const onToggle = useRangeToggle(monitors, selection);
  return (
    <>
      {/* Rendered before the rows are loaded too, to avoid a layout shift. */}
      {selection !== undefined && (
        <SelectAll
          items={monitors ?? []}
          selection={selection}
          label={selection.allLabel}
          className="h-11 px-3 text-[13px] text-muted"
          disabled={(monitors ?? []).length === 0}
        />
      )}
      <ul aria-label={label}>
        {monitors
          ?.slice(0, count)
          .map((monitor) => (
            <MonitorLine
              key={monitor.id}
              monitor={monitor}
              isSelected={selection?.selected.has(monitor.id) ?? false}
              selectLabel={selection?.labelOf(monitor)}
              onToggle={selection && onToggle}
              onAct={onAct}
            />
          )) ??
          Array.from({ length: 12 }, (_, index) => (
            <li key={index} className="flex h-16 items-center border-t border-line px-3">
              <Skeleton className="h-8 w-full" />
            </li>
          ))}
        {restPx > 0 && <li ref={end} aria-hidden="true" style={{ height: restPx }} />}
      </ul>
    </>
  );
}

type MonitorLineProps = {
  monitor: Monitor;
  isSelected: boolean;
  selectLabel: string | undefined;
  onToggle: ((id: number, range: boolean) => void) | undefined;
  onAct: RowAct;
};

const MonitorLine = memo(function MonitorLine(props: MonitorLineProps) {
  const { monitor, isSelected, selectLabel, onToggle, onAct } = props;
  const { t, i18n } = useTranslation();
  const isUnfolded = useIsUnfolded();
  const { id, name, uptime, lastError, p95 } = monitor;
  const state = shownState(monitor);
  return (
    <li
      data-row
      className={cx(
        "relative flex min-h-16 min-w-0 items-center gap-2.5 border-t border-line py-1.5 pl-3",
        isSelected ? "bg-accent-soft/60" : "focus-within:bg-sunken/60",
      )}
    >
      {onToggle !== undefined && (
        <Checkbox
          aria-label={selectLabel}
          aria-keyshortcuts="X"
          checked={isSelected}
          onChange={(event) => onToggle(id, isRange(event))}
          // Above the link that fills the row.
          className="z-10 -my-1.5 -ml-3 self-stretch pl-3"
        />
      )}
      <StateMark state={state} />
      <span className="flex min-w-0 flex-1 flex-col gap-y-0.5">
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1">
            <Link to={paths.monitor(id)} className="block truncate font-medium after:absolute after:inset-0">
              {name}
            </Link>
            <MonitorBars monitor={monitor} className="h-3.5! w-full max-w-44" />
          </span>
          <span className="tnum shrink-0 text-right leading-tight">
            <span className="block text-[13px] font-medium">
              {state === "up" ? (
                <>
                  <span className="sr-only">{t("monitors.responseTime")} </span>
                  <Latest monitor={monitor} />
                </>
              ) : (
                <span aria-hidden="true" className={state === "down" ? "text-down-ink" : "text-muted"}>
                  {t(`status.list.${state}`)}
                </span>
              )}
            </span>
            <span className="text-[12px] text-muted">
              {p95?.slower === true ? (
                <>
                  <span className="sr-only">{t("monitorList.p95.change")} </span>
                  <P95Change p95={p95} />
                </>
              ) : (
                <>
                  <span className="sr-only">{t("monitors.uptime")} </span>
                  {formatPercent(uptime.h24, i18n.language)}
                </>
              )}
            </span>
          </span>
        </span>
        <MonitorNotes monitor={monitor} />
        <FoldButton monitor={monitor} />
        {isUnfolded(monitor) && (
          <Suspense>
            <GroupMembers id={id} name={name} />
          </Suspense>
        )}
        {isFailing(monitor) && (
          <span className="text-[13px] leading-5 wrap-anywhere text-down-ink">
            <Reason text={lastError} />
          </span>
        )}
      </span>
      {/* Puts the open menu above the rows below. */}
      <span className="z-10 focus-within:z-20">
        <MonitorMenu monitor={monitor} onAct={onAct} />
      </span>
    </li>
  );
});
