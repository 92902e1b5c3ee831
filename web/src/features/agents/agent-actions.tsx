import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { Missing } from "../../app/screen.tsx";
import { useDeleteAgentMutation } from "./api.ts";
import { DeleteDialog, type DeleteDialogProps } from "../../lists/delete-dialog.tsx";
import { RowActions } from "../../lists/row-actions.tsx";
import { ServerIcon } from "../../ui/icons.tsx";

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

/** An agent that does not exist. The screen has its own words for that: the API's name the id. */
export function MissingAgent() {
  const { t } = useTranslation();
  return (
    <Missing icon={<ServerIcon />} title={t("errors.agentMissing")} back={t("agent.back")} backTo={paths.agents} />
  );
}

/** Asks before an agent, its figures and its key go. */
export function DeleteAgentDialog(props: DeleteDialogProps) {
  const [remove] = useDeleteAgentMutation();
  return <DeleteDialog {...props} noun="agents" fallback="deleteAgent" remove={remove} />;
}
