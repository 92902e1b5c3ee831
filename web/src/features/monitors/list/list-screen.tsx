import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { LostLocations } from "../../../app/locations.tsx";
import { paths } from "../../../app/paths.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { DataTable } from "../../../lists/data-table.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { FilterSelect, ListFilters } from "../../../lists/list-filters.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { PulseIcon } from "../../../ui/icons.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { useDeleteMonitorMutation, useMonitorsQuery, useRecentChecksQuery } from "../api.ts";
import { monitorFilters, type MonitorList, useMonitorList } from "./list.ts";
import { MonitorCards, useMonitorColumns } from "./rows.tsx";
import { TagFilter } from "./tags.tsx";

export default function ListScreen() {
  const list = useMonitorList();
  const query = useMonitorsQuery(list.query, { pollingInterval: usePolling() });
  const asCards = useMedia("(width < 48rem)");
  const add = (
    <>
      <ImportLink />
      <AddLink noun="monitors" to={paths.monitorCreate} />
    </>
  );
  return (
    <ListPage
      noun="monitors"
      list={list}
      query={query}
      fallback="fetchMonitors"
      actions={add}
      banner={<LostLocations className="mb-4" />}
      filters={<MonitorFilters list={list} asCards={asCards} />}
      empty={<ListEmpty noun="monitors" list={list} icon={<PulseIcon />} action={add} />}
      frameless={asCards}
    >
      {(page) => <MonitorTable page={page} list={list} asCards={asCards} />}
    </ListPage>
  );
}

function MonitorFilters({ list, asCards }: { list: MonitorList; asCards: boolean }) {
  const { t } = useTranslation();
  const { status, tag } = list.params;
  return (
    <ListFilters noun="monitors" list={list}>
      <TagFilter tag={tag} onTag={(next) => list.change({ tag: next })} />
      <FilterSelect
        label={t("monitors.status")}
        allLabel={t("monitors.allStatuses")}
        values={monitorFilters}
        value={status}
        nameOf={(each) =>
          each === "active" || each === "expiring"
            ? t(`monitors.filters.${each}`)
            : t(`status.list.${each === "stale" ? "noData" : each}`)
        }
        onChange={(next) => list.change({ status: next })}
      />
      {asCards && <Order list={list} />}
    </ListFilters>
  );
}

const orders = {
  name: "name",
  status: "status",
  "-responseTime": "slow",
  uptime: "uptime",
  "-createdAt": "newest",
} as const;
type Order = keyof typeof orders;

/** The orders that people want of cards; any other is in the address alone. */
function Order({ list }: { list: MonitorList }) {
  const { t } = useTranslation();
  const { sort } = list.params;
  const isNamed = sort in orders;
  return (
    <Select
      aria-label={t("monitorList.order.label")}
      value={isNamed ? sort : ""}
      onChange={({ target }) => target.value in orders && list.change({ sort: target.value as Order })}
    >
      {!isNamed && <option value="">{t("monitorList.order.other")}</option>}
      {(Object.keys(orders) as Order[]).map((each) => (
        <option key={each} value={each}>
          {t(`monitorList.order.${orders[each]}`)}
        </option>
      ))}
    </Select>
  );
}

/** Leads to where many monitors come at once; nothing for those who may change nothing. */
function ImportLink() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return mayChange ? <ButtonLink to={paths.monitorImport}>{t("monitors.import")}</ButtonLink> : null;
}

// What changes monitors brings dialogs along: they are loaded when a row is chosen or to be deleted.
const BulkBar = lazy(() => import("./bulk-bar.tsx"));
const DeleteDialog = lazy(async () => ({ default: (await import("../../../lists/delete-dialog.tsx")).DeleteDialog }));

type MonitorTableProps = {
  /** Undefined while the first page is on its way. */
  page: { monitors: readonly Monitor[]; total: number } | undefined;
  list: MonitorList;
  asCards: boolean;
};

function MonitorTable({ page, list, asCards }: MonitorTableProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const monitors = page?.monitors;
  const ids = monitors?.map(({ id }) => id) ?? [];
  const checked = useRecentChecksQuery(ids, { skip: ids.length === 0, pollingInterval: usePolling() });
  const recentChecks = checked.data?.recentChecks;
  const { search, status, tag } = list.params;
  const filter = { search, status, tag };
  const { chosen, shown, select, selectAll, clear } = useSelection(ids, JSON.stringify(filter));
  const [remove] = useDeleteMonitorMutation();
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
    </>
  );
}

export type ListSelection = {
  ids: readonly number[];
  /** Everything that the list's filters match is chosen, on whatever page. */
  all: boolean;
};

/**
 * Rows that are chosen: some of the page, or all that the filters match. The latter ends as soon as other filters hold:
 * nothing is ever changed that its reader did not see.
 * @param pageIds the rows of the page
 * @param filterKey the same text as long as the filters are the same
 */
function useSelection(pageIds: readonly number[], filterKey: string) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [allOf, setAllOf] = useState<string | null>(null);
  const all = allOf === filterKey;
  const shown: ReadonlySet<number> = all ? new Set(pageIds) : selected;
  const chosen: ListSelection = { ids: pageIds.filter((id) => shown.has(id)), all };
  function select(ids: ReadonlySet<number>) {
    setAllOf(null);
    setSelected(ids);
  }
  return {
    shown,
    chosen,
    select,
    selectAll: () => {
      setAllOf(filterKey);
      setSelected(new Set());
    },
    clear: () => select(new Set()),
  };
}
