import type { messageAnswer } from "@sonde/proto/http/auth";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import type { Subscriber, subscribersAnswer, subscribersQuery } from "@sonde/proto/http/status/subscribers";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { type AnswerOf, api, type QueryOf } from "../../../app/api.ts";
import { useConfigQuery } from "../../../app/config.ts";
import { useSession } from "../../../app/hooks.ts";
import { removeRow } from "../../../app/live/events.ts";
import { isSameTarget } from "../../../entities/targets/api.ts";
import { type Column, DataTable } from "../../../lists/data-table.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { ListFilters } from "../../../lists/list-filters.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { textFilter } from "../../../lists/params.ts";
import { RowAction } from "../../../lists/row-actions.tsx";
import { useList } from "../../../lists/use-list.ts";
import { formatList } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Badge, type BadgeLook } from "../../../ui/badge.tsx";
import { CheckIcon, PendingIcon, TrashIcon, UsersIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { useStatusConfigQuery } from "../page/api.ts";
import { useTargets } from "../page/names.ts";
import { settingsPath, useChosenPage } from "../pages/api.ts";

const subscribersApi = api.injectEndpoints({
  endpoints: (build) => ({
    subscribers: build.query<AnswerOf<typeof subscribersAnswer>, QueryOf<typeof subscribersQuery>>({
      query: (params) => ({ url: "/status/subscribers", params }),
    }),
    deleteSubscriber: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/status/subscribers/${id}`, method: "DELETE" }),
      // Removes the row from the cache, so the list is not refetched.
      async onQueryStarted(id, { dispatch, getState, queryFulfilled }) {
        const { data } = await queryFulfilled.catch(() => ({ data: undefined }));
        if (data === undefined) return;
        for (const query of subscribersApi.util.selectCachedArgsForQuery(getState(), "subscribers")) {
          dispatch(
            subscribersApi.util.updateQueryData("subscribers", query, (page) => removeRow(page, page.subscribers, id)),
          );
        }
      },
    }),
  }),
});

const { useSubscribersQuery, useDeleteSubscriberMutation } = subscribersApi;

/** Poll interval in milliseconds. There are no live events for subscriptions. */
const pollMs = 30_000;

export default function SubscribersTab() {
  const { mayChange } = useSession();
  return mayChange ? <SubscriberList /> : <SubscriberCount />;
}

function SubscriberCount() {
  const { t } = useTranslation();
  const slug = useChosenPage();
  const { data } = useSubscribersQuery({ slug }, { pollingInterval: pollMs, refetchOnMountOrArgChange: true });
  return (
    <>
      <SubscriptionHint />
      {data !== undefined && <p className="text-muted">{t("subscribers.count", { count: data.total })}</p>}
    </>
  );
}

function SubscriberList() {
  const { t } = useTranslation();
  const slug = useChosenPage();
  const [toDelete, setToDelete] = useState<Subscriber | null>(null);
  const [remove] = useDeleteSubscriberMutation();
  // Slug and tab share the URL with the list's parameters.
  const list = useList({
    pageSize: 50,
    sortFields: ["createdAt"],
    initialSort: "-createdAt",
    filters: {},
    display: { slug: textFilter(40), tab: textFilter(20) },
  });
  const { page, pageSize, search } = list.query;
  const query = useSubscribersQuery(
    { slug, page, pageSize, search },
    { pollingInterval: pollMs, refetchOnMountOrArgChange: true },
  );
  const shown = query.currentData ?? query.data;
  const columns = useSubscriberColumns(shown?.subscribers ?? [], setToDelete);
  const count = shown === undefined ? null : t("subscribers.count", { count: shown.total });
  // Waits for the configuration, which decides whether there is a hint above the list, to avoid a layout shift.
  const { isLoading } = useStatusConfigQuery(useChosenPage());
  if (isLoading) return <Skeleton className="h-96 w-full" />;
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

function SubscriptionHint() {
  const { t } = useTranslation();
  const { data: config } = useConfigQuery();
  const slug = useChosenPage();
  const { data: page } = useStatusConfigQuery(slug);
  if (page === undefined) return null;
  const { enabled, channelId } = page.config.subscriptions;
  if (!enabled || channelId === null) {
    return (
      <Alert kind="info" className="mb-4">
        {t(enabled ? "subscribers.noChannel" : "subscribers.off")}{" "}
        <Link to={settingsPath(slug)} className="underline">
          {t("subscribers.toSettings")}
        </Link>
      </Alert>
    );
  }
  if (config?.publicUrl !== null) return null;
  return (
    <Alert kind="info" className="mb-4">
      {t("subscribers.noPublicUrl")}
    </Alert>
  );
}

/** Maximum number of services named directly. A tooltip lists all. */
const named = 3;

function useSubscriberColumns(
  subscribers: readonly Subscriber[],
  onDelete: (subscriber: Subscriber) => void,
): Column<Subscriber, "createdAt">[] {
  const { t, i18n } = useTranslation();
  const nameOf = useServiceNames(subscribers.some(({ services }) => services.length > 0));
  const list = (services: readonly string[]) => formatList(services.map(nameOf), i18n.language);
  const brief = ({ services }: Subscriber) => {
    if (services.length === 0) return t("subscribers.all");
    const more = services.length - named;
    const names = list(services.slice(0, named));
    return more > 0 ? t("subscribers.andMore", { names, count: more }) : names;
  };
  return [
    {
      head: t("subscribers.email"),
      className: "min-w-40 break-all max-md:w-full max-md:py-2.5",
      cell: (subscriber) => (
        <>
          <span className="font-medium">{subscriber.email}</span>
          <span className="mt-1 flex flex-wrap items-center gap-1.5 text-[13px] break-normal text-muted md:hidden">
            <StatusBadge status={subscriber.status} />
            {brief(subscriber)}
          </span>
        </>
      ),
    },
    { head: t("subscribers.status"), from: "md", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      head: t("subscribers.services"),
      from: "md",
      className: "text-muted",
      titleOf: ({ services }) => list(services),
      cell: brief,
    },
    {
      head: t("subscribers.since"),
      from: "lg",
      className: "whitespace-nowrap text-muted",
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      head: t("common.actions"),
      numeric: true,
      className: "w-px max-md:align-top",
      cell: (subscriber) => (
        <RowAction label={t("common.delete")} name={subscriber.email} onClick={() => onDelete(subscriber)}>
          <TrashIcon />
        </RowAction>
      ),
    },
  ];
}

const looks: Record<Subscriber["status"], BadgeLook> = {
  confirmed: { tone: "up", icon: CheckIcon },
  pending: { tone: "warn", icon: PendingIcon },
};

function StatusBadge({ status }: Pick<Subscriber, "status">) {
  const { t } = useTranslation();
  return (
    <Badge {...looks[status]} className="whitespace-nowrap">
      {t(`subscribers.statuses.${status}`)}
    </Badge>
  );
}

function useServiceNames(isNeeded: boolean): (service: string) => string {
  const { t } = useTranslation();
  const { data } = useStatusConfigQuery(useChosenPage());
  const monitors = useTargets("monitor", !isNeeded);
  const agents = useTargets("agent", !isNeeded);
  return (service) => {
    const target = readTarget(service);
    const { type, id } = target;
    const given = data?.config.names.find((named) => isSameTarget(named, target));
    const own = (type === "agent" ? agents : monitors)?.get(id);
    return given?.name ?? own?.name ?? t(type === "agent" ? "subscribers.agent" : "subscribers.monitor", { id });
  };
}
