import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { useLatest } from "../../../lib/hooks.ts";
import { DataTable } from "../../../lists/data-table.tsx";
import type { RetainedRows } from "../../../lists/retained-rows.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { type BulkFilter, useDeleteMonitorMutation, useRecentChecksQuery } from "../api.ts";
import { usePausing } from "../pause.tsx";
import { useIsUnfolded } from "../group/folds.tsx";
import type { RowAct } from "./row-act.ts";
import { RecentChecks } from "./cells.tsx";
import { MonitorLines } from "./lines.tsx";
import type { MonitorList } from "./list.ts";
import { type ColumnName, useMonitorColumns } from "./rows.tsx";
import { useSelection } from "./selection.ts";

// Loaded on demand, because they bring dialogs: the bar with the first selection, tools with the first hover or focus
// of a row.
const GroupMembers = lazy(() => import("../group/members.tsx"));
const BulkBar = lazy(() => import("./bulk-bar.tsx"));
const RowTools = lazy(() => import("./row-tools.tsx"));
const DeleteDialog = lazy(async () => ({ default: (await import("../../../lists/delete-dialog.tsx")).DeleteDialog }));

const barClass =
  "min-h-12 border-b border-line bg-accent-soft lg:absolute lg:top-0 lg:right-0 lg:left-11 lg:z-20 lg:h-10 lg:min-h-0 lg:border-b-0";

export type MonitorRowsLook = { columns: readonly ColumnName[]; isNarrow: boolean };
type MonitorTableProps = MonitorRowsLook & {
  label: string;
  kept: RetainedRows<Monitor>;
  filter: BulkFilter;
  total: number;
  list: MonitorList;
};

export function MonitorTable(props: MonitorTableProps) {
  const { label, kept, filter, total, list, columns: chosenColumns, isNarrow } = props;
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const monitors = kept.rows;
  const ids = monitors?.map(({ id }) => id) ?? [];
  const checked = useRecentChecksQuery(ids, { skip: ids.length === 0, pollingInterval: usePolling() });
  const { chosen, shown, choose, clear } = useSelection(ids, JSON.stringify(filter));
  const [remove] = useDeleteMonitorMutation();
  const [toDelete, setToDelete] = useState<Monitor | null>(null);
  // Stays mounted after the first opening, so that it can restore the focus when it closes.
  const [wasOpened, setWasOpened] = useState(false);
  const onChanged = (changed: readonly number[], failure: string | null) => {
    kept.keep(changed);
    list.setNotice(failure === null ? null : { kind: "error", text: failure });
  };
  const pausing = usePausing(onChanged);
  const onTag = useLatest((next: string) => list.change({ tag: next }));
  const onAct = useLatest<Parameters<RowAct>>((action, monitor) => {
    if (action !== "delete") return void pausing.switchTo(action, { ids: [monitor.id] });
    setWasOpened(true);
    setToDelete(monitor);
  });
  const [touched, setTouched] = useState<{ table: HTMLElement; pointed: Element | null } | null>(null);
  const columns = useMonitorColumns(chosenColumns, { onTag, onAct });
  const isUnfolded = useIsUnfolded();
  const membersOf = (monitor: Monitor) =>
    isUnfolded(monitor) && (
      <Suspense>
        <GroupMembers id={monitor.id} name={monitor.name} />
      </Suspense>
    );
  const labelOf = useCallback(({ name }: Monitor) => t("monitors.select", { name }), [t]);
  const selection = mayChange
    ? {
        selected: shown,
        onToggle: choose,
        onSelect: choose,
        allLabel: t("monitors.selectAll"),
        labelOf,
      }
    : undefined;
  const bar = mayChange && chosen.ids.length > 0 && (
    <Suspense fallback={<div className={barClass} />}>
      <BulkBar
        className={barClass}
        chosen={chosen}
        monitors={monitors ?? []}
        filter={filter}
        total={total}
        onSelectAll={() => choose("all")}
        onClear={clear}
        onChanged={onChanged}
        onNotice={list.setNotice}
      />
    </Suspense>
  );
  return (
    <RecentChecks value={checked.data?.recentChecks}>
      {kept.count > 0 && (
        <p
          role="status"
          className="flex items-center gap-2 border-b border-line bg-sunken px-4 py-1 text-[13px] text-muted"
        >
          {t("monitorList.kept.text", { count: kept.count })}
          <Button variant="ghost" size="sm" onClick={kept.drop}>
            {t("monitorList.kept.hide")}
          </Button>
        </p>
      )}
      {isNarrow && bar}
      {isNarrow ? (
        <MonitorLines label={label} monitors={monitors} selection={selection} sort={list.params.sort} onAct={onAct} />
      ) : (
        <div
          // In wide windows the bar covers the column heads, so that no row moves. Hidden heads cannot take the focus.
          className={cx("relative", bar !== false && "lg:[&_th]:bg-accent-soft lg:[&_th:not(:first-child)]:invisible")}
          onPointerOver={({ currentTarget: table, target }) =>
            setTouched((known) => known ?? { table, pointed: target as Element })
          }
          onFocus={({ currentTarget: table }) => setTouched((known) => known ?? { table, pointed: null })}
        >
          {bar}
          <DataTable
            dense
            label={label}
            columns={columns}
            items={monitors}
            sort={list.params.sort}
            onSort={(sort) => list.change({ sort })}
            selection={selection}
            detailOf={membersOf}
          />
        </div>
      )}
      {mayChange && !isNarrow && touched !== null && (
        <Suspense>
          <RowTools {...touched} monitors={monitors ?? []} onAct={onAct} />
        </Suspense>
      )}
      {pausing.question}
      {wasOpened && (
        <Suspense>
          <DeleteDialog
            noun="monitors"
            fallback="deleteMonitor"
            remove={remove}
            target={toDelete}
            onClose={() => setToDelete(null)}
            onDeleted={(text) => list.setNotice({ kind: "success", text })}
          />
        </Suspense>
      )}
    </RecentChecks>
  );
}
