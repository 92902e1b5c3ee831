import type { Agent } from "@sonde/proto/http/agents";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useDeleteAgentMutation } from "./api.ts";

type DeleteAgentDialogProps = {
  /** The one to delete; null: closed. */
  agent: Pick<Agent, "id" | "name"> | null;
  onClose: () => void;
  onDeleted: (message: string) => void;
};

/** Asks before an agent, its figures and its key go. */
export function DeleteAgentDialog({ agent, onClose, onDeleted }: DeleteAgentDialogProps) {
  const { t } = useTranslation();
  const [remove] = useDeleteAgentMutation();
  return (
    <ConfirmDialog
      open={agent !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("agents.remove.title")}
      description={t("agents.remove.text", { name: agent?.name ?? "" })}
      confirmLabel={t("common.delete")}
      savingLabel={t("common.deleting")}
      onConfirm={async () => {
        if (agent === null) return;
        const answer = await remove(agent.id);
        if (answer.error !== undefined) throw new Error(errorText(answer.error, "deleteAgent"));
        onDeleted(answer.data.message ?? t("agents.remove.success"));
      }}
    />
  );
}
