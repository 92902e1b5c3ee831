import { useTranslation } from "react-i18next";
import { DataTable } from "../../../lists/data-table.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { useDeliveriesQuery } from "../api.ts";
import { Attempts } from "./attempts.tsx";
import { useDeliveryColumns } from "./columns.tsx";
import { DeliveryFilters } from "./filters.tsx";
import { useDeliveryList } from "./list.ts";

/** Every message to a channel, newest first, and each attempt to send it. */
export default function DeliveriesScreen() {
  const { t } = useTranslation();
  const list = useDeliveryList();
  // The history has one order and no search.
  const { sort: _sort, search: _search, channel, ...rest } = list.query;
  const asked = { ...rest, channel: channel === undefined ? undefined : Number(channel) };
  const query = useDeliveriesQuery(asked, { refetchOnMountOrArgChange: true });
  const columns = useDeliveryColumns(list);
  return (
    <ListPage
      noun="deliveries"
      headless
      list={list}
      query={query}
      fallback="fetchData"
      filters={<DeliveryFilters list={list} />}
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
