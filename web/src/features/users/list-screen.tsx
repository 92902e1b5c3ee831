import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { errorText, statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useUsersQuery } from "./api.ts";
import { ListFilters } from "./list-filters.tsx";
import { pageSize, toQuery, useListParams } from "./list-params.ts";
import NotAllowedScreen from "./not-allowed-screen.tsx";
import { UserTable } from "./user-table.tsx";

export type ListNotice = { kind: "success" | "error"; text: string };

/** Accounts make no live events: a new one shows by asking now and then. */
const askAgainMs = 30_000;

export default function ListScreen() {
  const { t } = useTranslation();
  const { params, change, isFiltered } = useListParams();
  const { data, currentData, error, isFetching, refetch } = useUsersQuery(toQuery(params), {
    pollingInterval: askAgainMs,
    refetchOnMountOrArgChange: true,
  });
  const brought = (useLocation().state as { notice?: string } | null)?.notice;
  const [notice, setNotice] = useState<ListNotice | null>(
    brought === undefined ? null : { kind: "success", text: brought },
  );
  // While another page is on its way the old rows stay, so that nothing jumps.
  const page = currentData ?? data;
  useLastPage(page?.total, params.page, (last) => change({ page: last }, true));
  if (statusOf(error) === 403) return <NotAllowedScreen />;

  return (
    <>
      <PageHeader
        title={t("users.title")}
        actions={
          <ButtonLink to={paths.userCreate} variant="primary">
            <PlusIcon />
            {t("users.add")}
          </ButtonLink>
        }
      />
      {notice !== null && (
        <Alert key={notice.text} kind={notice.kind} className="mb-4">
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
          {errorText(error, "fetchUsers")}
        </Alert>
      )}
      <ListFilters params={params} change={change} isFiltered={isFiltered} />
      <Card flush className="mt-3 overflow-hidden">
        {error !== undefined && page === undefined ? (
          <ErrorState message={errorText(error, "fetchUsers")} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <UserTable
            users={page?.users}
            isFiltered={isFiltered}
            sort={params.sort}
            onSort={(sort) => change({ sort })}
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

/** A page that has emptied, because its last row was deleted, gives way to the last one there is. */
function useLastPage(total: number | undefined, page: number, go: (page: number) => void) {
  const last = total === undefined ? page : Math.max(1, Math.ceil(total / pageSize));
  useEffect(() => {
    if (page > last) go(last);
  });
}
