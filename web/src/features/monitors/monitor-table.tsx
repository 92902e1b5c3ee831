import type { RecentCheck } from "@sonde/proto/http/recent-checks";
import type { Monitor } from "@sonde/proto/http/monitors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { Checkbox } from "../../ui/inputs.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Cell, HeadCell, Row, SortCell, Table } from "../../ui/table.tsx";
import { DeleteMonitorDialog } from "./delete-dialog.tsx";
import type { Sort } from "./list-params.ts";
import type { ListNotice } from "./list-screen.tsx";
import { MonitorRow } from "./monitor-row.tsx";

type MonitorTableProps = {
  /** Undefined while the first page is on its way. */
  monitors: readonly Monitor[] | undefined;
  /** By monitor id; undefined while they are on their way. */
  recentChecks: Readonly<Record<string, RecentCheck[]>> | undefined;
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<number>;
  onSelect: (selected: ReadonlySet<number>) => void;
  onTag: (tag: string) => void;
  onNotice: (notice: ListNotice) => void;
};

export function MonitorTable({
  monitors,
  recentChecks,
  sort,
  onSort,
  selected,
  onSelect,
  onTag,
  onNotice,
}: MonitorTableProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [toDelete, setToDelete] = useState<Monitor | null>(null);
  const chosen = monitors?.filter(({ id }) => selected.has(id)).length ?? 0;

  function toggle(id: number) {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  }
  function toggleAll() {
    onSelect(chosen === 0 ? new Set(monitors?.map(({ id }) => id)) : new Set());
  }

  return (
    <>
      <Table label={t("monitors.title")}>
        <thead>
          <tr>
            {mayChange && (
              <HeadCell className="w-px">
                <Checkbox
                  aria-label={t("monitors.selectAll")}
                  checked={chosen > 0 && chosen === monitors?.length}
                  indeterminate={chosen > 0 && chosen !== monitors?.length}
                  onChange={toggleAll}
                />
              </HeadCell>
            )}
            <SortCell field="name" sort={sort} onSort={onSort}>
              {t("monitors.name")}
            </SortCell>
            <SortCell field="url" sort={sort} onSort={onSort} className="hidden w-[32%] lg:table-cell xl:w-[26%]">
              {t("monitors.url")}
            </SortCell>
            <SortCell field="status" sort={sort} onSort={onSort} className="hidden w-36 md:table-cell">
              {t("monitors.status")}
            </SortCell>
            <HeadCell className="hidden w-40 xl:table-cell">{t("monitors.recentChecks.title")}</HeadCell>
            <HeadCell numeric className="hidden w-36 md:table-cell xl:w-32">
              {t("monitors.responseTime")}
            </HeadCell>
            <HeadCell numeric className="hidden w-40 md:table-cell">
              {t("monitors.uptime")}
            </HeadCell>
            <HeadCell numeric className="md:w-36">
              {t("common.actions")}
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {monitors?.map((monitor) => (
            <MonitorRow
              key={monitor.id}
              monitor={monitor}
              recentChecks={recentChecks?.[monitor.id]}
              selected={selected.has(monitor.id)}
              onToggle={() => toggle(monitor.id)}
              onDelete={() => setToDelete(monitor)}
              onTag={onTag}
            />
          )) ?? <Places columns={mayChange ? 8 : 7} />}
        </tbody>
      </Table>
      <DeleteMonitorDialog
        monitor={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={() => onNotice({ kind: "success", text: t("monitors.remove.success") })}
      />
    </>
  );
}

/** Where rows will stand: as many as a screen holds, so that nothing below jumps when they come. */
function Places({ columns }: { columns: number }) {
  return Array.from({ length: 16 }, (_, index) => (
    <Row key={index}>
      <Cell colSpan={columns}>
        <Skeleton className="h-5 w-full" />
      </Cell>
    </Row>
  ));
}
