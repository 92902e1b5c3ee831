import type { Agent } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usePolling } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { FilterSelect, ListFilters } from "../../../lists/list-filters.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { Button } from "../../../ui/button.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { ArrowDownIcon, ArrowUpIcon, GridIcon, MenuIcon, ServerIcon } from "../../../ui/icons.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { useAgentsQuery, useAgentTagsQuery, useDeleteAgentMutation } from "../api.ts";
import { agentFieldOf, type AgentList, agentSortFields, agentStatuses, firstOrder, useAgentList } from "./list.ts";
import { AgentCards, AgentTable } from "./rows.tsx";

export default function ListScreen() {
  const list = useAgentList();
  const query = useAgentsQuery(list.query, { pollingInterval: usePolling() });
  const [remove] = useDeleteAgentMutation();
  const [toDelete, setToDelete] = useState<Agent | null>(null);
  const isCards = list.view === "cards";
  const add = <AddLink noun="agents" to={paths.agentCreate} />;
  return (
    <>
      <ListPage
        noun="agents"
        list={list}
        query={query}
        fallback="fetchAgents"
        actions={add}
        filters={<AgentFilters list={list} />}
        empty={<ListEmpty noun="agents" list={list} icon={<ServerIcon />} action={add} />}
        frameless={isCards}
      >
        {(page) =>
          isCards ? (
            <AgentCards agents={page?.agents} list={list} onDelete={setToDelete} />
          ) : (
            <AgentTable agents={page?.agents} list={list} onDelete={setToDelete} />
          )
        }
      </ListPage>
      <DeleteDialog
        noun="agents"
        fallback="deleteAgent"
        remove={remove}
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={(text) => list.setNotice({ kind: "success", text })}
      />
    </>
  );
}

function AgentFilters({ list }: { list: AgentList }) {
  const { t } = useTranslation();
  const { status, tag } = list.params;
  const known = useAgentTagsQuery().data?.tags.map(({ name }) => name) ?? [];
  // A tag in the URL is always an option.
  const tags = tag === undefined || known.includes(tag) ? known : [tag, ...known];
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
      {tags.length > 0 && (
        <FilterSelect
          label={t("monitorList.tags.label")}
          allLabel={t("monitorList.tags.placeholder")}
          values={tags}
          value={tag}
          nameOf={(each) => each}
          onChange={(next) => list.change({ tag: next })}
        />
      )}
      {list.view === "cards" && <SortChoice list={list} />}
    </ListFilters>
  );
}

function ViewChoice({ list }: { list: AgentList }) {
  const { t } = useTranslation();
  const label = (Icon: typeof GridIcon, view: "cards" | "table") => (
    <span className="inline-flex items-center gap-1.5">
      <Icon className="size-3.5" />
      {t(`agents.views.${view}`)}
    </span>
  );
  return (
    <div className="ml-auto">
      <Segmented
        label={t("agents.viewLabel")}
        value={list.view}
        onChange={(view) => list.change({ view })}
        options={[
          { value: "table", label: label(MenuIcon, "table") },
          { value: "cards", label: label(GridIcon, "cards") },
        ]}
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
