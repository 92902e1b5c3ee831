import type { ManagedBy, ManagedKind } from "@sonde/proto/http/config/managed";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";
import { errorText } from "../app/errors.ts";
import { useSession } from "../app/hooks.ts";
import {
  BackLink,
  DetailPlaceholder,
  isId,
  isMissing,
  Loaded,
  Missing,
  Notice,
  type QueryState,
  useNotice,
} from "../app/screen.tsx";
import { ManagedBadge, managedText } from "../entities/managed/managed-badge.tsx";
import { ManagedForm } from "../entities/managed/managed-form.tsx";
import { Alert } from "../ui/alert.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { EditIcon } from "../ui/icons.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { AddLink } from "./add-link.tsx";
import { type Column, DataTable } from "./data-table.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { DeleteDialog, type Removal } from "./delete-dialog.tsx";
import { ListEmpty } from "./list-empty.tsx";
import { ListFilters } from "./list-filters.tsx";
import { ListPage, type ListQuery } from "./list-page.tsx";
import { NameLink } from "./name-link.tsx";
import type { ObjectNoun } from "./noun.ts";
import type { Sort } from "./params.ts";
import { RowActions } from "./row-actions.tsx";
import type { ListState, useList } from "./use-list.ts";

/** Objects that have a list, a page and a form. Their words are the `noun` of these. */
export type ObjectPages = {
  kind: ManagedKind;
  icon: ReactNode;
  list: string;
  create: string;
  page: (id: number) => string;
  edit: (id: number) => string;
};
type Named = { id: number; name: string; managed?: ManagedBy | undefined };
type Remove = Removal["remove"];

type ObjectListProps<Item, Field extends string, Page> = {
  noun: ObjectNoun;
  pages: ObjectPages;
  list: ReturnType<typeof useList<Field, Record<never, never>>>;
  query: ListQuery<Page>;
  itemsOf: (page: Page) => readonly Item[];
  /** The first column follows the name, in the same cell. Must keep its identity. */
  columns: readonly [Column<Item, Field>, ...Column<Item, Field>[]];
  remove: Remove;
  banner?: ReactNode;
};

export function ObjectList<Item extends Named, Field extends string, Page extends { total: number }>(
  props: ObjectListProps<Item, Field, Page>,
) {
  const { noun, pages, list, query, itemsOf, columns, remove, banner } = props;
  const { t } = useTranslation();
  const [toDelete, setToDelete] = useState<Item | null>(null);
  const add = <AddLink noun={noun} to={pages.create} />;
  const state: ListState = list;
  const all = useMemo((): Column<Item, Field>[] => {
    const [{ cell, ...first }, ...others] = columns;
    const named: Column<Item, Field> = {
      ...first,
      className: "w-full max-w-0 min-w-44 py-2.5",
      cell: (item) => (
        <>
          <span className="flex flex-wrap items-center gap-x-2">
            <NameLink to={pages.page(item.id)} name={item.name} />
            <ManagedBadge managed={item.managed} />
          </span>
          {cell(item)}
        </>
      ),
    };
    const actions: Column<Item, Field> = {
      head: <span className="sr-only">{t("common.actions")}</span>,
      numeric: true,
      cell: (item) => (
        <RowActions
          name={item.name}
          editAt={pages.edit(item.id)}
          onDelete={() => setToDelete(item)}
          deleteRefusal={managedText(item.managed, t)}
        />
      ),
    };
    return [named, ...others, actions];
  }, [columns, pages, t]);
  return (
    <>
      <ListPage
        noun={noun}
        headless
        list={state}
        query={query}
        fallback="fetchData"
        banner={banner}
        filters={<ListFilters noun={noun} list={state} after={<span className="ml-auto">{add}</span>} />}
        empty={<ListEmpty noun={noun} list={state} icon={pages.icon} action={add} />}
      >
        {(page) => (
          <DataTable
            label={t(`${noun}.title`)}
            columns={all}
            items={page && itemsOf(page)}
            sort={list.params.sort as Sort<Field>}
            onSort={(sort) => list.change({ sort } as Parameters<typeof list.change>[0])}
          />
        )}
      </ListPage>
      <DeleteDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={(text) => list.setNotice({ kind: "success", text })}
        noun={noun}
        fallback="deletion"
        remove={remove}
      />
    </>
  );
}

/** The id in the address. */
export const useObjectId = () => Number(useParams()["id"]);

type ObjectPageProps<Item> = {
  noun: ObjectNoun;
  pages: ObjectPages;
  query: QueryState<Item>;
  remove: Remove;
  /** Before **Edit** and **Delete**, for users who may change. */
  actions?: (item: Item) => ReactNode;
  children: (item: Item) => ReactNode;
};

export function ObjectPage<Item extends Named>({
  noun,
  pages,
  query,
  remove,
  actions,
  children,
}: ObjectPageProps<Item>) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const notice = useNotice();
  const { list, edit } = pages;
  const back = <BackLink to={list} label={t(`${noun}.back`)} />;
  if (isMissing(useObjectId(), query.error)) return <MissingObject {...{ noun, pages }} />;
  return (
    <Loaded query={query} placeholder={<DetailPlaceholder last="h-32" />} header={back}>
      {(item) => {
        const { id, name, managed } = item;
        const refusal = managedText(managed, t);
        return (
          <>
            {back}
            <PageHeader
              title={name}
              badge={<ManagedBadge managed={managed} />}
              actions={
                mayChange && (
                  <>
                    {actions?.(item)}
                    <ButtonLink to={edit(id)}>
                      <EditIcon />
                      {t("common.edit")}
                    </ButtonLink>
                    <DeleteButton target={{ id, name }} to={list} {...{ noun, remove, refusal }} fallback="deletion" />
                  </>
                )
              }
            />
            <div className="flex flex-col gap-4">
              <Notice text={notice} />
              {query.error !== undefined && <Alert kind="error">{errorText(query.error, "fetchData")}</Alert>}
              {children(item)}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function MissingObject({ noun, pages: { icon, list } }: { noun: ObjectNoun; pages: ObjectPages }) {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t(`${noun}.title`)} />
      <Missing icon={icon} title={t(`${noun}.missing`)} back={t(`${noun}.back`)} backTo={list}>
        {t(`${noun}.missingText`)}
      </Missing>
    </>
  );
}

type ObjectFormProps<Item> = {
  noun: ObjectNoun;
  pages: ObjectPages;
  /** Loads the object in the address. */
  query: QueryState<Item>;
  fieldOf?: (name: string) => string;
  /** Without an item: the form of a new one. */
  children: (item?: Item) => ReactNode;
};

export function ObjectForm<Item extends Named>({ noun, pages, query, fieldOf, children }: ObjectFormProps<Item>) {
  const { t } = useTranslation();
  const id = useObjectId();
  const isNew = Number.isNaN(id);
  const { kind, list, page } = pages;
  if (!isNew && isMissing(id, query.error)) return <MissingObject {...{ noun, pages }} />;
  // Waits for a refetch, so that the form does not start with cached values.
  const stored = query.error === undefined && !query.isFetching ? query.data : undefined;
  return (
    <div className="mx-auto max-w-3xl">
      <BackLink to={isNew ? list : page(id)} label={stored?.name ?? t(`${noun}.back`)} />
      <PageHeader title={t(isNew ? `${noun}.add` : `${noun}.edit`)} />
      {isNew ? (
        children()
      ) : (
        <Loaded query={{ ...query, data: stored }}>
          {(item) => (
            <ManagedForm managed={item.managed} kind={kind} {...(fieldOf && { fieldOf })}>
              {children(item)}
            </ManagedForm>
          )}
        </Loaded>
      )}
    </div>
  );
}

/** Query options for the form of the object in the address. */
export const storedOptions = (id: number) => ({ skip: !isId(id), refetchOnMountOrArgChange: true });
