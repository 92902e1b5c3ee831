import { type ReactNode, useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { errorText, type Fallback } from "../app/errors.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { ErrorState } from "../ui/states.tsx";
import type { ListNoun } from "./noun.ts";
import type { ListState } from "./use-list.ts";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons.tsx";

/** From RTK Query: `currentData` is the requested page, `data` the last one received. */
export type ListQuery<Page> = {
  data?: Page | undefined;
  currentData?: Page | undefined;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
};

type ListPageProps<Page> = {
  noun: ListNoun;
  /** For a part of a page that already has a heading. */
  headless?: boolean;
  list: ListState;
  query: ListQuery<Page>;
  /** Fallback text for a failure without a server message. */
  fallback: Fallback;
  actions?: ReactNode;
  banner?: ReactNode;
  filters: ReactNode;
  /** Shown instead of an empty list. By default `children` handle it. */
  empty?: ReactNode;
  pageless?: boolean;
  /** For rows with their own frames, such as cards. */
  frameless?: boolean;
  /** Renders the rows. `undefined` while the first page is loading. */
  children: (page: Page | undefined) => ReactNode;
};

export function ListPage<Page extends { total: number }>(props: ListPageProps<Page>) {
  const { noun, headless = false, list, query, banner, filters, empty, frameless = false, children } = props;
  const { t } = useTranslation();
  // Keeps the previous rows while another page is loading, to avoid a layout shift.
  const page = query.currentData ?? query.data;
  const failure = query.error === undefined ? null : errorText(query.error, props.fallback);
  const retry = { onRetry: () => void query.refetch(), retrying: query.isFetching };
  useLastPage(query.currentData?.total, list);

  const hasFailed = failure !== null && page === undefined;
  const isEmpty = empty !== undefined && page?.total === 0;
  const rows = hasFailed ? <ErrorState message={failure} {...retry} /> : isEmpty ? empty : children(page);
  const pages = page !== undefined && page.total > 0 && props.pageless !== true && (
    <Pagination page={list.params.page} pageSize={list.pageSize} total={page.total} onPage={list.goToPage} />
  );
  return (
    <>
      {!headless && <PageHeader title={t(`${noun}.title`)} actions={props.actions} />}
      {banner}
      {list.notice !== null && (
        <Alert key={list.notice.text} kind={list.notice.kind} className="mb-4">
          {list.notice.text}
        </Alert>
      )}
      {failure !== null && !hasFailed && (
        <Alert
          kind="error"
          className="mb-4"
          action={
            <Button size="sm" onClick={retry.onRetry} saving={retry.retrying} savingLabel={t("common.retrying")}>
              {t("common.retry")}
            </Button>
          }
        >
          {failure}
        </Alert>
      )}
      {filters}
      {frameless && !hasFailed && !isEmpty ? (
        <div className="mt-3 flex flex-col gap-3">
          {rows}
          {pages}
        </div>
      ) : (
        <Card flush className="mt-3 overflow-hidden">
          {rows}
          {pages}
        </Card>
      )}
    </>
  );
}

/** If the last page became empty, goes back to the new last page. */
function useLastPage(total: number | undefined, { params: { page }, pageSize, leadBackTo }: ListState) {
  const last = total === undefined ? page : Math.max(1, Math.ceil(total / pageSize));
  const leadBack = useEffectEvent(() => leadBackTo(last));
  useEffect(() => {
    if (page > last) leadBack();
  }, [page, last]);
}

type PaginationProps = { page: number; pageSize: number; total: number; onPage: (page: number) => void };

export function Pagination({ page, pageSize, total, onPage }: PaginationProps) {
  const { t, i18n } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1 && page === 1) return null;
  const number = (value: number) => value.toLocaleString(i18n.language);
  const first = Math.min(total, (page - 1) * pageSize + 1);
  return (
    <nav
      aria-label={t("common.pages")}
      className="flex items-center justify-between gap-4 border-t border-line px-4 py-2.5"
    >
      <p className="tnum text-[13px] text-muted">
        {t("common.pageOf", {
          first: number(first),
          last: number(Math.min(total, page * pageSize)),
          total: number(total),
        })}
      </p>
      <div className="flex gap-2">
        <Button size="sm" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeftIcon />
          {t("common.previous")}
        </Button>
        <Button size="sm" disabled={page >= pages} onClick={() => onPage(page + 1)}>
          {t("common.next")}
          <ChevronRightIcon />
        </Button>
      </div>
    </nav>
  );
}
