import type { Agent } from "@sonde/proto/http/agents";
import { paths } from "../../app/paths.ts";
import { RowActions } from "../../lists/row-actions.tsx";

type AgentActionsProps = {
  agent: Agent;
  onDelete: (agent: Agent) => void;
  /** Without the link to its page, which its name is as well. */
  compact?: boolean;
};

/** View, edit and delete. */
export function AgentActions({ agent, onDelete, compact = false }: AgentActionsProps) {
  const { id, name } = agent;
  const view = compact ? {} : { viewAt: paths.agent(id) };
  return <RowActions name={name} {...view} editAt={paths.agentEdit(id)} onDelete={() => onDelete(agent)} />;
}
