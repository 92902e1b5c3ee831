import type { Agent } from "@sonde/proto/http/agents";
import { paths } from "../../app/paths.ts";
import { RowActions } from "../../lists/row-actions.tsx";

/** View, edit and delete. */
export function AgentActions({ agent, onDelete }: { agent: Agent; onDelete: (agent: Agent) => void }) {
  const { id, name } = agent;
  return (
    <RowActions name={name} viewAt={paths.agent(id)} editAt={paths.agentEdit(id)} onDelete={() => onDelete(agent)} />
  );
}
