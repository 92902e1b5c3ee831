import { deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { targetKey, useTargetQuery } from "../../../entities/targets/api.ts";
import { DataTable } from "../../../lists/data-table.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { FilterSelect } from "../../../lists/list-filters.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { Button } from "../../../ui/button.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { useChannelsQuery, useDeliveriesQuery, useUnsentQuery } from "../api.ts";
import { TargetDialog } from "../target-dialog.tsx";
import { Attempts, useDeliveryColumns } from "./columns.tsx";
import { type DeliveryList, deliveryViews, useDeliveryList } from "./list.ts";
import { useUnsentColumns } from "./unsent-columns.tsx";

export default function DeliveriesScreen() {
  const list = useDeliveryList();
  return list.params.view === "unsent" ? <Unsent list={list} /> : <Sent list={list} />;
}

function Unsent({ list }: { list: DeliveryList }) {
  const { t } = useTranslation();
  const { status: _status, ...request } = requestOf(list);
  const query = useUnsentQuery(request, { refetchOnMountOrArgChange: true });
  const columns = useUnsentColumns();
  return (
    <ListPage
      noun="unsent"
      {...partsOf(list)}
      query={query}
      empty={<ListEmpty noun="unsent" list={list} icon={<BellIcon />} />}
    >
      {(page) => <DataTable label={t("unsent.title")} columns={columns} items={page?.unsent} />}
    </ListPage>
  );
}

function Sent({ list }: { list: DeliveryList }) {
  const { t } = useTranslation();
  const query = useDeliveriesQuery(requestOf(list), { refetchOnMountOrArgChange: true });
  const columns = useDeliveryColumns(list);
  return (
    <ListPage
      noun="deliveries"
      {...partsOf(list)}
      query={query}
      empty={<ListEmpty noun="deliveries" list={list} icon={<BellIcon />} />}
    >
      {(page) => (
        <DataTable
          label={t("deliveries.title")}
          columns={columns}
          items={page?.deliveries}
          sort={list.params.sort}
          onSort={(sort) => list.change({ sort })}
          detailOf={(delivery) =>
            list.params.open === String(delivery.id) ? <Attempts delivery={delivery} /> : undefined
          }
        />
      )}
    </ListPage>
  );
}

/** The API of both lists has no sort order or search. */
function requestOf({ query: { sort: _sort, search: _search, channel, ...rest } }: DeliveryList) {
  return { ...rest, channel: channel === undefined ? undefined : Number(channel) };
}

const partsOf = (list: DeliveryList) =>
  ({ headless: true, list, fallback: "fetchData", filters: <DeliveryFilters list={list} /> }) as const;

function DeliveryFilters({ list }: { list: DeliveryList }) {
  const { t } = useTranslation();
  const { data } = useChannelsQuery();
  const { channel, status, view = "sent" } = list.params;
  const names = new Map(data?.channels.map(({ id, name }) => [String(id), name]));
  const ids = [...new Set([...names.keys(), ...(channel === undefined ? [] : [channel])])];
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segmented
        label={t("deliveries.view")}
        value={view}
        onChange={(next) => list.change({ view: next === "sent" ? undefined : next, status: undefined })}
        options={deliveryViews.map((value) => ({ value, label: t(`deliveries.views.${value}`) }))}
      />
      <FilterSelect
        label={t("deliveries.channel")}
        allLabel={t("deliveries.allChannels")}
        values={ids}
        value={channel}
        nameOf={(id) => names.get(id) ?? `#${id}`}
        onChange={(next) => list.change({ channel: next })}
        // Stays the same when the names arrive.
        className="w-36"
      />
      {view === "sent" && (
        <FilterSelect
          label={t("deliveries.status")}
          allLabel={t("deliveries.allStatuses")}
          values={deliveryStatuses}
          value={status}
          nameOf={(each) => t(`deliveries.statuses.${each}`)}
          onChange={(next) => list.change({ status: next })}
        />
      )}
      <TargetFilter list={list} />
      {list.isFiltered && (
        <Button variant="ghost" onClick={list.clearFilters}>
          {t("deliveries.clearFilters")}
        </Button>
      )}
    </div>
  );
}

function TargetFilter({ list }: { list: DeliveryList }) {
  const { t } = useTranslation();
  const [picking, setPicking] = useState(false);
  const { target = "" } = list.params;
  const { data } = useTargetQuery(readTarget(target), { skip: target === "" });
  const name = target === "" ? t("deliveries.anyTarget") : (data?.name ?? target);
  return (
    <>
      <Button
        aria-haspopup="dialog"
        aria-label={`${t("deliveries.target")}: ${name}`}
        className="max-w-64"
        onClick={() => setPicking(true)}
      >
        <span className="truncate">{name}</span>
      </Button>
      <TargetDialog
        open={picking}
        onClose={() => setPicking(false)}
        onPick={(picked) => list.change({ target: targetKey(picked) })}
      />
    </>
  );
}
