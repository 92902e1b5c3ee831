import type { Monitor } from "@sonde/proto/http/monitors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { usePolling } from "../../app/polling.ts";
import { DataTable } from "../../lists/data-table.tsx";
import { useRecentChecksQuery } from "./api.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { useMonitorColumns } from "./columns.tsx";
import { DeleteMonitorDialog } from "./delete-dialog.tsx";
import type { MonitorList } from "./list.ts";

type MonitorTableProps = {
  /** Undefined while the first page is on its way. */
  monitors: readonly Monitor[] | undefined;
  list: MonitorList;
};

/** The monitors, and what can be done with those that are chosen. */
export function MonitorTable({ monitors, list }: MonitorTableProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const ids = monitors?.map(({ id }) => id) ?? [];
  const checked = useRecentChecksQuery(ids, { skip: ids.length === 0, pollingInterval: usePolling() });
  const recentChecks = checked.data?.recentChecks;
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [toDelete, setToDelete] = useState<Monitor | null>(null);
  const chosen = ids.filter((id) => selected.has(id));
  const columns = useMonitorColumns({
    recentChecksOf: ({ id }) => recentChecks?.[id],
    onTag: (tag) => list.change({ tag }),
    onDelete: setToDelete,
  });
  return (
    <>
      {mayChange && chosen.length > 0 && (
        <BulkBar ids={chosen} onDone={() => setSelected(new Set())} onNotice={list.setNotice} />
      )}
      <DataTable
        label={t("monitors.title")}
        columns={columns}
        items={monitors}
        sort={list.params.sort}
        onSort={(sort) => list.change({ sort })}
        selection={
          mayChange
            ? {
                selected,
                onSelect: setSelected,
                allLabel: t("monitors.selectAll"),
                labelOf: ({ name }) => t("monitors.select", { name }),
              }
            : undefined
        }
      />
      <DeleteMonitorDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={(text) => list.setNotice({ kind: "success", text })}
      />
    </>
  );
}
