import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { DataTable } from "../../../lists/data-table.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { ListFilters } from "../../../lists/list-filters.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { textFilter } from "../../../lists/params.ts";
import { useList } from "../../../lists/use-list.ts";
import { UsersIcon } from "../../../ui/icons.tsx";
import { type Subscriber, useDeleteSubscriberMutation, useSubscribersQuery } from "./api.ts";
import { useSubscriberColumns } from "./columns.tsx";
import { SubscriptionHint } from "./hint.tsx";

/** Subscriptions make no live events: a new one shows by asking now and then. */
const askAgainMs = 30_000;

/** Who is mailed what becomes of the public page; a viewer sees how many. */
export default function SubscribersTab() {
  const { mayChange } = useSession();
  return mayChange ? <SubscriberList /> : <SubscriberCount />;
}

function SubscriberCount() {
  const { t } = useTranslation();
  const { data } = useSubscribersQuery({}, { pollingInterval: askAgainMs, refetchOnMountOrArgChange: true });
  return (
    <>
      <SubscriptionHint />
      {data !== undefined && <p className="text-muted">{t("subscribers.count", { count: data.total })}</p>}
    </>
  );
}

function SubscriberList() {
  const { t } = useTranslation();
  const [toDelete, setToDelete] = useState<Subscriber | null>(null);
  const [remove] = useDeleteSubscriberMutation();
  // The tab is named in the same address.
  const list = useList({
    pageSize: 50,
    sortFields: ["createdAt"],
    initialSort: "-createdAt",
    filters: {},
    display: { tab: textFilter(20) },
  });
  const { page, pageSize, search } = list.query;
  const query = useSubscribersQuery(
    { page, pageSize, search },
    { pollingInterval: askAgainMs, refetchOnMountOrArgChange: true },
  );
  const shown = query.currentData ?? query.data;
  const columns = useSubscriberColumns(shown?.subscribers ?? [], setToDelete);
  const count = shown === undefined ? null : t("subscribers.count", { count: shown.total });
  return (
    <>
      <ListPage
        noun="subscribers"
        headless
        list={list}
        query={query}
        fallback="fetchData"
        banner={<SubscriptionHint />}
        filters={
          <ListFilters
            noun="subscribers"
            list={list}
            after={
              <p className="ml-auto text-[13px] text-muted" aria-live="polite">
                {count}
              </p>
            }
          >
            {null}
          </ListFilters>
        }
        empty={<ListEmpty noun="subscribers" list={list} icon={<UsersIcon />} />}
      >
        {(answer) => (
          <DataTable
            label={t("subscribers.title")}
            columns={columns}
            items={answer?.subscribers}
            sort={list.params.sort}
            onSort={(sort) => list.change({ sort })}
          />
        )}
      </ListPage>
      <DeleteDialog
        target={toDelete && { id: toDelete.id, name: toDelete.email }}
        onClose={() => setToDelete(null)}
        onDeleted={(text) => list.setNotice({ kind: "success", text })}
        noun="subscribers"
        fallback="deleteSubscriber"
        remove={remove}
      />
    </>
  );
}
