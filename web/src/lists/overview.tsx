import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice, QueryError, type QueryState, useNotice } from "../app/screen.tsx";
import { AddLink } from "./add-link.tsx";
import { Pagination } from "./list-page.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState, Skeleton } from "../ui/states.tsx";

/** The server's limit of open entries. */
export const maxOpen = 100;
export const pastPageSize = 20;
/** Query options. The lists also show changes by other users. */
export const refreshed = { pollingInterval: 30_000, refetchOnMountOrArgChange: true };

export type OverviewSection<Item> = {
  title: string;
  none: string;
  query: QueryState;
  items: readonly Item[] | undefined;
  total: number | undefined;
  paging?: { page: number; onPage: (page: number) => void };
};

type OverviewProps<Item> = {
  noun: "announcements" | "maintenance";
  icon: ReactNode;
  addTo: string;
  /** Next to the button to add. */
  tools?: ReactNode;
  sections: readonly OverviewSection<Item>[];
  row: (item: Item) => ReactNode;
  dialogs: (onDone: (notice: string) => void) => ReactNode;
};

export function Overview<Item>({ noun, icon, addTo, tools, sections, row, dialogs }: OverviewProps<Item>) {
  const { t } = useTranslation();
  const [notice, setNotice] = useState(useNotice());
  const queries = sections.map(({ query }) => query);
  const failed = queries.find(({ data, error }) => data === undefined && error !== undefined);
  if (failed !== undefined) {
    const isFetching = queries.some((query) => query.isFetching);
    const refetch = () => Promise.all(queries.map((query) => query.refetch()));
    return (
      <Card>
        <QueryError query={{ ...failed, isFetching, refetch }} fallback="fetchData" />
      </Card>
    );
  }
  if (queries.some(({ data }) => data === undefined)) return <Skeleton className="h-64 w-full" />;
  const add = <AddLink noun={noun} to={addTo} />;
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      {sections.every(({ total }) => total === 0) ? (
        <Card>
          <EmptyState icon={icon} title={t(`${noun}.empty.title`)} action={add}>
            {t(`${noun}.empty.text`)}
          </EmptyState>
        </Card>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0 flex-1 basis-64 text-muted">{t(`${noun}.intro`)}</p>
            <div className="flex flex-wrap items-center gap-3">
              {tools}
              {add}
            </div>
          </div>
          {sections.map(({ title, none, items = [], total = 0, paging }) => (
            <Card key={title} title={title} flush>
              {items.length === 0 ? (
                <p className="px-4 py-3 text-muted md:px-5">{none}</p>
              ) : (
                <ul className="divide-y divide-line">{items.map(row)}</ul>
              )}
              {paging !== undefined && <Pagination {...paging} pageSize={pastPageSize} total={total} />}
            </Card>
          ))}
        </>
      )}
      {dialogs(setNotice)}
    </div>
  );
}
