import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession, usePolling } from "../../../app/hooks.ts";
import { DataTable } from "../../../lists/data-table.tsx";
import { useRecentChecksQuery } from "../api.ts";
import { useMonitorColumns } from "./columns.tsx";
import type { MonitorList } from "./list.ts";
import { MonitorCards } from "./monitor-cards.tsx";
import { useSelection } from "./use-selection.ts";

// What changes monitors brings dialogs along: they are loaded when a row is chosen or to be deleted.
const BulkBar = lazy(() => import("./bulk-bar.tsx"));
const DeleteMonitorDialog = lazy(async () => ({ default: (await import("../delete-dialog.tsx")).DeleteMonitorDialog }));

type MonitorTableProps = {
  /** Undefined while the first page is on its way. */
  page: { monitors: readonly Monitor[]; total: number } | undefined;
  list: MonitorList;
  /** As a phone shows them. */
  asCards: boolean;
};

/** The monitors, and what can be done with those that are chosen. */
export function MonitorTable({ page, list, asCards }: MonitorTableProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const monitors = page?.monitors;
  const ids = monitors?.map(({ id }) => id) ?? [];
  const checked = useRecentChecksQuery(ids, { skip: ids.length === 0, pollingInterval: usePolling() });
  const recentChecks = checked.data?.recentChecks;
  const { search, status, tag } = list.params;
  const filter = { search, status, tag };
  const { chosen, shown, select, selectAll, clear } = useSelection(ids, JSON.stringify(filter));
  const [toDelete, setToDelete] = useState<Monitor | null>(null);
  // Stays once it was opened: it gives the focus back as it closes.
  const [asked, setAsked] = useState(false);
  const options = {
    recentChecksOf: ({ id }: Monitor) => recentChecks?.[id],
    onTag: (next: string) => list.change({ tag: next }),
    onDelete: (monitor: Monitor) => {
      setAsked(true);
      setToDelete(monitor);
    },
  };
  const columns = useMonitorColumns(options);
  const selection = mayChange
    ? {
        selected: shown,
        onSelect: select,
        allLabel: t("monitors.selectAll"),
        labelOf: ({ name }: Monitor) => t("monitors.select", { name }),
      }
    : undefined;
  return (
    <>
      {mayChange && chosen.ids.length > 0 && (
        <Suspense fallback={<div className="min-h-12 border-b border-line bg-accent-soft" />}>
          <BulkBar
            chosen={chosen}
            filter={filter}
            total={page?.total ?? 0}
            onSelectAll={selectAll}
            onClear={clear}
            onNotice={list.setNotice}
            className={asCards ? "rounded-lg border" : "border-b"}
          />
        </Suspense>
      )}
      {asCards ? (
        <MonitorCards monitors={monitors} selection={selection} {...options} />
      ) : (
        <DataTable
          label={t("monitors.title")}
          columns={columns}
          items={monitors}
          sort={list.params.sort}
          onSort={(sort) => list.change({ sort })}
          selection={selection}
        />
      )}
      {asked && (
        <Suspense>
          <DeleteMonitorDialog
            target={toDelete}
            onClose={() => setToDelete(null)}
            onDeleted={(text) => list.setNotice({ kind: "success", text })}
          />
        </Suspense>
      )}
    </>
  );
}
