import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { LostLocations } from "../../app/lost-locations.tsx";
import { useNotice } from "../../app/notice.ts";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon, PulseIcon, SearchIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { useRecentChecksQuery, useMonitorsQuery } from "./api.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { ListFilters } from "./list-filters.tsx";
import { pageSize, toQuery, useListParams } from "./list-params.ts";
import { MonitorTable } from "./monitor-table.tsx";

export type ListNotice = { kind: "success" | "error"; text: string };

export default function ListScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { params, change, isFiltered } = useListParams();
  const query = useMonitorsQuery(toQuery(params), { pollingInterval: usePolling() });
  const { data, currentData, error, isFetching, refetch } = query;
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const brought = useNotice();
  const [notice, setNotice] = useState<ListNotice | null>(
    brought === undefined ? null : { kind: "success", text: brought },
  );

  // While another page is on its way the old rows stay, so that nothing jumps.
  const page = currentData ?? data;
  const onPage = page?.monitors.map(({ id }) => id) ?? [];
  const { data: known } = useRecentChecksQuery(onPage, { skip: onPage.length === 0, pollingInterval: usePolling() });
  const chosen = onPage.filter((id) => selected.has(id));
  const pages =
    currentData === undefined || page === undefined ? params.page : Math.max(1, Math.ceil(page.total / pageSize));

  // The last page may have emptied: whoever stands beyond the end is led back to it.
  const leadBack = useEffectEvent(() => change({ page: pages }));
  useEffect(() => {
    if (params.page > pages) leadBack();
  }, [params.page, pages]);

  const isEmpty = page !== undefined && page.monitors.length === 0 && page.total === 0;

  return (
    <>
      <PageHeader
        title={t("monitors.title")}
        actions={
          mayChange && (
            <ButtonLink to={paths.monitorCreate} variant="primary">
              <PlusIcon />
              {t("monitors.add")}
            </ButtonLink>
          )
        }
      />
      <LostLocations className="mb-4" />
      {notice !== null && (
        <Alert kind={notice.kind} className="mb-4">
          {notice.text}
        </Alert>
      )}
      {error !== undefined && page !== undefined && (
        <Alert
          kind="error"
          className="mb-4"
          action={
            <Button size="sm" onClick={() => void refetch()} saving={isFetching} savingLabel={t("common.retrying")}>
              {t("common.retry")}
            </Button>
          }
        >
          {errorText(error, "fetchMonitors")}
        </Alert>
      )}
      <ListFilters params={params} change={change} isFiltered={isFiltered} />
      <Card flush className="mt-3 overflow-hidden">
        {mayChange && chosen.length > 0 && (
          <BulkBar ids={chosen} onDone={() => setSelected(new Set())} onNotice={setNotice} />
        )}
        {error !== undefined && page === undefined ? (
          <ErrorState
            message={errorText(error, "fetchMonitors")}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        ) : isEmpty ? (
          <Nothing isFiltered={isFiltered} onClear={() => change({ search: "", status: null, tag: "" })} />
        ) : (
          <MonitorTable
            monitors={page?.monitors}
            recentChecks={known?.recentChecks}
            sort={params.sort}
            onSort={(sort) => change({ sort })}
            selected={selected}
            onSelect={setSelected}
            onTag={(tag) => change({ tag })}
            onNotice={setNotice}
          />
        )}
        {page !== undefined && page.total > 0 && (
          <Pagination
            page={params.page}
            pageSize={pageSize}
            total={page.total}
            onPage={(next) => change({ page: next })}
          />
        )}
      </Card>
    </>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  if (isFiltered) {
    return (
      <EmptyState
        icon={<SearchIcon />}
        title={t("monitors.empty.noMatch")}
        action={<Button onClick={onClear}>{t("monitors.clearFilters")}</Button>}
      >
        {t("monitors.empty.noMatchText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<PulseIcon />}
      title={t("monitors.empty.title")}
      action={
        mayChange && (
          <ButtonLink to={paths.monitorCreate} variant="primary">
            <PlusIcon />
            {t("monitors.add")}
          </ButtonLink>
        )
      }
    >
      {t("monitors.empty.text")}
    </EmptyState>
  );
}
