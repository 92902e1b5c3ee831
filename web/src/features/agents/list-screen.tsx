import type { Agent } from "@sonde/proto/http/agents";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { useNotice } from "../../app/notice.ts";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon, SearchIcon, ServerIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { AgentCards } from "./agent-cards.tsx";
import { AgentTable } from "./agent-table.tsx";
import { useAgentsQuery } from "./api.ts";
import { DeleteAgentDialog } from "./delete-dialog.tsx";
import { ListFilters } from "./list-filters.tsx";
import { pageSize, toQuery, useListParams } from "./list-params.ts";

export default function ListScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { params, change, isFiltered } = useListParams();
  const query = useAgentsQuery(toQuery(params), { pollingInterval: usePolling() });
  const { data, currentData, error, isFetching, refetch } = query;
  const [notice, setNotice] = useState(useNotice());
  const [toDelete, setToDelete] = useState<Agent | null>(null);

  // While another page is on its way the old cards stay, so that nothing jumps.
  const page = currentData ?? data;
  const pages =
    currentData === undefined || page === undefined ? params.page : Math.max(1, Math.ceil(page.total / pageSize));
  // The last page may have emptied: whoever stands beyond the end is led back to it.
  const leadBack = useEffectEvent(() => change({ page: pages }));
  useEffect(() => {
    if (params.page > pages) leadBack();
  }, [params.page, pages]);

  const isEmpty = page !== undefined && page.agents.length === 0 && page.total === 0;
  const isBroken = error !== undefined && page === undefined;
  const inCards = params.view === "cards" && !isEmpty && !isBroken;
  const pagination = page !== undefined && page.total > 0 && (
    <Pagination page={params.page} pageSize={pageSize} total={page.total} onPage={(next) => change({ page: next })} />
  );

  return (
    <>
      <PageHeader title={t("agents.title")} actions={mayChange && <AddLink />} />
      {notice !== undefined && (
        <Alert kind="success" className="mb-4">
          {notice}
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
          {errorText(error, "fetchAgents")}
        </Alert>
      )}
      <ListFilters params={params} change={change} isFiltered={isFiltered} />
      {inCards ? (
        <div className="mt-3 flex flex-col gap-3">
          <AgentCards agents={page?.agents} onDelete={setToDelete} />
          {pagination}
        </div>
      ) : (
        <Card flush className="mt-3 overflow-hidden">
          {isBroken ? (
            <ErrorState
              message={errorText(error, "fetchAgents")}
              onRetry={() => void refetch()}
              retrying={isFetching}
            />
          ) : isEmpty ? (
            <Nothing isFiltered={isFiltered} onClear={() => change({ search: "", status: null })} />
          ) : (
            <AgentTable
              agents={page?.agents}
              sort={params.sort}
              onSort={(sort) => change({ sort })}
              onDelete={setToDelete}
            />
          )}
          {pagination}
        </Card>
      )}
      <DeleteAgentDialog agent={toDelete} onClose={() => setToDelete(null)} onDeleted={setNotice} />
    </>
  );
}

function AddLink() {
  const { t } = useTranslation();
  return (
    <ButtonLink to={paths.agentCreate} variant="primary">
      <PlusIcon />
      {t("agents.add")}
    </ButtonLink>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return isFiltered ? (
    <EmptyState
      icon={<SearchIcon />}
      title={t("agents.empty.noMatch")}
      action={<Button onClick={onClear}>{t("agents.clearFilters")}</Button>}
    >
      {t("agents.empty.noMatchText")}
    </EmptyState>
  ) : (
    <EmptyState icon={<ServerIcon />} title={t("agents.empty.title")} action={mayChange && <AddLink />}>
      {t("agents.empty.text")}
    </EmptyState>
  );
}
