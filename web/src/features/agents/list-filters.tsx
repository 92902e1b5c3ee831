import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { ArrowDownIcon, ArrowUpIcon, GridIcon, MenuIcon } from "../../ui/icons.tsx";
import { Select } from "../../ui/inputs.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { type ListParams, listViews, type Sort, type SortField, sortFields } from "./list-params.ts";
import { type AgentStatus, agentStatuses } from "./statuses.ts";

type ListFiltersProps = { params: ListParams; change: (part: Partial<ListParams>) => void; isFiltered: boolean };

/** Search, state, and which view; cards, which have no column heads, are sorted here. */
export function ListFilters({ params, change, isFiltered }: ListFiltersProps) {
  const { t } = useTranslation();
  const icons = { cards: GridIcon, table: MenuIcon };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        label={t("agents.searchLabel")}
        value={params.search}
        onSearch={(search) => change({ search })}
        className="w-full sm:w-72"
      />
      <Select
        aria-label={t("agents.status")}
        value={params.status ?? ""}
        onChange={({ target }) => change({ status: target.value === "" ? null : (target.value as AgentStatus) })}
      >
        <option value="">{t("agents.allStatuses")}</option>
        {agentStatuses.map((status) => (
          <option key={status} value={status}>
            {t(`agents.statuses.${status}`)}
          </option>
        ))}
      </Select>
      {params.view === "cards" && <SortChoice sort={params.sort} onSort={(sort) => change({ sort })} />}
      {isFiltered && (
        <Button variant="ghost" onClick={() => change({ search: "", status: null })}>
          {t("agents.clearFilters")}
        </Button>
      )}
      <div className="ml-auto">
        <Segmented
          label={t("agents.viewLabel")}
          value={params.view}
          onChange={(view) => change({ view })}
          options={listViews.map((view) => {
            const Icon = icons[view];
            return {
              value: view,
              label: (
                <span className="inline-flex items-center gap-1.5">
                  <Icon className="size-3.5" />
                  {t(`agents.views.${view}`)}
                </span>
              ),
            };
          })}
        />
      </div>
    </div>
  );
}

function SortChoice({ sort, onSort }: { sort: Sort; onSort: (sort: Sort) => void }) {
  const { t } = useTranslation();
  const isDown = sort.startsWith("-");
  const field = sort.replace(/^-/, "") as SortField;
  return (
    <span className="inline-flex items-center gap-1">
      <Select
        aria-label={t("agents.sortLabel")}
        value={field}
        onChange={({ target }) => onSort(target.value as SortField)}
      >
        {sortFields.map((each) => (
          <option key={each} value={each}>
            {t(`agents.sorts.${each}`)}
          </option>
        ))}
      </Select>
      <Button
        variant="ghost"
        size="icon"
        title={isDown ? t("agents.descending") : t("agents.ascending")}
        aria-label={isDown ? t("agents.descending") : t("agents.ascending")}
        onClick={() => onSort(isDown ? field : `-${field}`)}
      >
        {isDown ? <ArrowDownIcon /> : <ArrowUpIcon />}
      </Button>
    </span>
  );
}
