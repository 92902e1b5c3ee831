import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { formatPercent } from "../../../lib/format.ts";
import { useIsAhead } from "../../../lib/hooks.ts";
import { useGrowing } from "../../../lists/growing.ts";
import { SelectAll, type Selection } from "../../../lists/data-table.tsx";
import { shownState, StateMark } from "../../../ui/badge.tsx";
import { cx } from "../../../ui/cx.ts";
import { SilentIcon, WrenchIcon } from "../../../ui/icons.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { Until } from "../../../ui/until.tsx";
import { MonitorMenu } from "./actions.tsx";
import type { RowAct } from "./row-act.ts";
import { isFailing, Latest, MonitorBars, Outcome, P95Change } from "./cells.tsx";

type MonitorLinesProps = {
  label: string;
  monitors: readonly Monitor[] | undefined;
  selection: Selection<Monitor> | undefined;
  sort: string;
  onAct: RowAct;
};

const linePx = 64;

export function MonitorLines({ label, monitors, selection, sort, onAct }: MonitorLinesProps) {
  const { count, restPx, end } = useGrowing<HTMLLIElement>(monitors?.length ?? 0, linePx, sort);
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
              onToggle={selection?.onToggle}
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
  onToggle: ((id: number) => void) | undefined;
  onAct: RowAct;
};

const MonitorLine = memo(function MonitorLine(props: MonitorLineProps) {
  const { monitor, isSelected, selectLabel, onToggle, onAct } = props;
  const { t, i18n } = useTranslation();
  const { id, name, status, stale, inMaintenance, silencedUntil, uptime, p95 } = monitor;
  const state = shownState(status, stale);
  const failing = isFailing(monitor);
  const isSilent = useIsAhead(silencedUntil);
  return (
    <li
      data-row
      className={cx(
        "relative flex h-16 min-w-0 items-center gap-2.5 border-t border-line pl-3",
        isSelected ? "bg-accent-soft/60" : "focus-within:bg-sunken/60",
      )}
    >
      {onToggle !== undefined && (
        <Checkbox
          aria-label={selectLabel}
          aria-keyshortcuts="X"
          checked={isSelected}
          onChange={() => onToggle(id)}
          // Above the link that fills the row.
          className="z-10 -my-2 -ml-3 self-stretch pl-3"
        />
      )}
      <StateMark state={state} />
      <span className="min-w-0 flex-1">
        <Link to={paths.monitor(id)} className="block truncate font-medium after:absolute after:inset-0">
          {name}
        </Link>
        <span className="flex items-center gap-2 text-[12px]">
          <MonitorBars id={id} className={cx("h-3.5!", failing ? "w-20 shrink-0" : "w-full max-w-44")} />
          {failing && (
            <span className="min-w-0">
              <Outcome monitor={monitor} />
            </span>
          )}
        </span>
      </span>
      <span className="tnum shrink-0 text-right leading-tight">
        <span className="flex items-center justify-end gap-1 text-[13px] font-medium">
          {inMaintenance === true && (
            <>
              <WrenchIcon className="size-3.5 text-maintenance-ink" />
              <span className="sr-only">{t("cells.maintenance")}</span>
            </>
          )}
          {isSilent && silencedUntil !== undefined && (
            <span className="flex items-center gap-1 font-normal text-maintenance-ink">
              <SilentIcon className="size-3.5" />
              <span className="sr-only">{t("incidents.silencedUntil")}</span> <Until at={silencedUntil} />
            </span>
          )}
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
      {/* Puts the open menu above the rows below. */}
      <span className="z-10 focus-within:z-20">
        <MonitorMenu monitor={monitor} onAct={onAct} />
      </span>
    </li>
  );
});
