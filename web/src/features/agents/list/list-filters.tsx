import { useTranslation } from "react-i18next";
import { agentFieldOf, type AgentList, agentSortFields, agentStatuses, agentViews, firstOrder } from "./list.ts";
import { FilterSelect, ListFilters } from "../../../lists/list-filters.tsx";
import { Button } from "../../../ui/button.tsx";
import { ArrowDownIcon, ArrowUpIcon, GridIcon, MenuIcon } from "../../../ui/icons.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { Segmented } from "../../../ui/choice.tsx";

const viewIcons = { cards: GridIcon, table: MenuIcon };

/** Search, state, and which view; cards, which have no column heads, are sorted here. */
export function AgentFilters({ list }: { list: AgentList }) {
  const { t } = useTranslation();
  const { status } = list.params;
  return (
    <ListFilters noun="agents" list={list} after={<ViewChoice list={list} />}>
      <FilterSelect
        label={t("agents.status")}
        allLabel={t("agents.allStatuses")}
        values={agentStatuses}
        value={status}
        nameOf={(each) => t(`agents.statuses.${each}`)}
        onChange={(next) => list.change({ status: next })}
      />
      {list.view === "cards" && <SortChoice list={list} />}
    </ListFilters>
  );
}

function ViewChoice({ list }: { list: AgentList }) {
  const { t } = useTranslation();
  const options = agentViews.map((value) => {
    const Icon = viewIcons[value];
    const label = (
      <span className="inline-flex items-center gap-1.5">
        <Icon className="size-3.5" />
        {t(`agents.views.${value}`)}
      </span>
    );
    return { value, label };
  });
  return (
    <div className="ml-auto">
      <Segmented
        label={t("agents.viewLabel")}
        value={list.view}
        onChange={(view) => list.change({ view })}
        options={options}
      />
    </div>
  );
}

function SortChoice({ list }: { list: AgentList }) {
  const { t } = useTranslation();
  const { sort } = list.params;
  const field = agentFieldOf(sort);
  const isUpward = sort === field;
  const direction = isUpward ? t("agents.ascending") : t("agents.descending");
  return (
    <span className="inline-flex items-center gap-1">
      <Select
        aria-label={t("agents.sortLabel")}
        value={field}
        onChange={({ target }) => {
          const chosen = agentSortFields.find((each) => each === target.value);
          list.change({ sort: chosen && firstOrder(chosen) });
        }}
      >
        {agentSortFields.map((each) => (
          <option key={each} value={each}>
            {t(`agents.sorts.${each}`)}
          </option>
        ))}
      </Select>
      <Button
        variant="ghost"
        size="icon"
        title={direction}
        aria-label={direction}
        onClick={() => list.change({ sort: isUpward ? `-${field}` : field })}
      >
        {isUpward ? <ArrowUpIcon /> : <ArrowDownIcon />}
      </Button>
    </span>
  );
}
