import type { Agent } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { paths } from "../../../app/paths.ts";
import { usePolling } from "../../../app/hooks.ts";
import { DeleteAgentDialog } from "../agent-actions.tsx";
import { AgentCards } from "./agent-cards.tsx";
import { AgentTable } from "./agent-table.tsx";
import { useAgentsQuery } from "../api.ts";
import { AgentFilters } from "./list-filters.tsx";
import { useAgentList } from "./list.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { ServerIcon } from "../../../ui/icons.tsx";

export default function ListScreen() {
  const list = useAgentList();
  const query = useAgentsQuery(list.query, { pollingInterval: usePolling() });
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
            <AgentCards agents={page?.agents} onDelete={setToDelete} />
          ) : (
            <AgentTable agents={page?.agents} list={list} onDelete={setToDelete} />
          )
        }
      </ListPage>
      <DeleteAgentDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={(text) => list.setNotice({ kind: "success", text })}
      />
    </>
  );
}
