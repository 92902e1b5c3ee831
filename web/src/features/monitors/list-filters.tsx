import { useTranslation } from "react-i18next";
import { FilterSelect, ListFilters } from "../../lists/list-filters.tsx";
import { Button } from "../../ui/button.tsx";
import { CrossIcon } from "../../ui/icons.tsx";
import type { MonitorList } from "./list.ts";
import { monitorFilters } from "./statuses.ts";

/** Search, state and tag. A tag is chosen by a click on it in a row and taken away here. */
export function MonitorFilters({ list }: { list: MonitorList }) {
  const { t } = useTranslation();
  const { status, tag } = list.params;
  return (
    <ListFilters noun="monitors" list={list}>
      <FilterSelect
        label={t("monitors.status")}
        allLabel={t("monitors.allStatuses")}
        values={monitorFilters}
        value={status}
        nameOf={(each) => t(`status.list.${each === "stale" ? "noData" : each}`)}
        onChange={(next) => list.change({ status: next })}
      />
      {tag !== undefined && (
        <Button onClick={() => list.change({ tag: undefined })}>
          {t("monitors.tagFilter", { tag })}
          <CrossIcon className="size-3.5" />
        </Button>
      )}
    </ListFilters>
  );
}
