import { useTranslation } from "react-i18next";
import { monitorFilters, type MonitorList } from "./list.ts";
import { TagFilter } from "./tag-filter.tsx";
import { FilterSelect, ListFilters } from "../../../lists/list-filters.tsx";
import { Select } from "../../../ui/inputs.tsx";

/** Search, tag and state; on a phone, where no column head sorts, also the order. */
export function MonitorFilters({ list, asCards }: { list: MonitorList; asCards: boolean }) {
  const { t } = useTranslation();
  const { status, tag } = list.params;
  return (
    <ListFilters noun="monitors" list={list}>
      <TagFilter tag={tag} onTag={(next) => list.change({ tag: next })} />
      <FilterSelect
        label={t("monitors.status")}
        allLabel={t("monitors.allStatuses")}
        values={monitorFilters}
        value={status}
        nameOf={(each) =>
          each === "active" || each === "expiring"
            ? t(`monitors.filters.${each}`)
            : t(`status.list.${each === "stale" ? "noData" : each}`)
        }
        onChange={(next) => list.change({ status: next })}
      />
      {asCards && <Order list={list} />}
    </ListFilters>
  );
}

const orders = {
  name: "name",
  status: "status",
  "-responseTime": "slow",
  uptime: "uptime",
  "-createdAt": "newest",
} as const;
type Order = keyof typeof orders;

/** The orders that people want of cards; any other stands in the address alone. */
function Order({ list }: { list: MonitorList }) {
  const { t } = useTranslation();
  const { sort } = list.params;
  const isNamed = sort in orders;
  return (
    <Select
      aria-label={t("monitorList.order.label")}
      value={isNamed ? sort : ""}
      onChange={({ target }) => target.value in orders && list.change({ sort: target.value as Order })}
    >
      {!isNamed && <option value="">{t("monitorList.order.other")}</option>}
      {(Object.keys(orders) as Order[]).map((each) => (
        <option key={each} value={each}>
          {t(`monitorList.order.${orders[each]}`)}
        </option>
      ))}
    </Select>
  );
}
