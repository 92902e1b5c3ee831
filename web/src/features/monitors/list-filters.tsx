import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { CrossIcon } from "../../ui/icons.tsx";
import { Select } from "../../ui/inputs.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import type { ListParams } from "./list-params.ts";
import { type MonitorFilter, monitorFilters } from "./statuses.ts";

type ListFiltersProps = { params: ListParams; change: (part: Partial<ListParams>) => void; isFiltered: boolean };

/** Search, state and tag. A tag is chosen by a click on it in a row and taken away here. */
export function ListFilters({ params, change, isFiltered }: ListFiltersProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        label={t("monitors.searchLabel")}
        value={params.search}
        onSearch={(search) => change({ search })}
        className="w-full sm:w-72"
      />
      <Select
        aria-label={t("monitors.status")}
        value={params.status ?? ""}
        onChange={(event) =>
          change({ status: event.target.value === "" ? null : (event.target.value as MonitorFilter) })
        }
      >
        <option value="">{t("monitors.allStatuses")}</option>
        {monitorFilters.map((status) => (
          <option key={status} value={status}>
            {t(`status.list.${status === "stale" ? "noData" : status}`)}
          </option>
        ))}
      </Select>
      {params.tag !== "" && (
        <Button onClick={() => change({ tag: "" })}>
          {t("monitors.tagFilter", { tag: params.tag })}
          <CrossIcon className="size-3.5" />
        </Button>
      )}
      {isFiltered && (
        <Button variant="ghost" onClick={() => change({ search: "", status: null, tag: "" })}>
          {t("monitors.clearFilters")}
        </Button>
      )}
    </div>
  );
}
