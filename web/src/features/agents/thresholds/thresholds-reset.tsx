import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useResetAgentSettingsMutation } from "./thresholds.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";

type ResetThresholdsDialogProps = {
  /** Whose own settings are to go; null: the dialog is closed. */
  target: Agent | null;
  onClose: () => void;
  /** Takes the success message. */
  onReset: (message: string) => void;
};

/** Asks before an agent follows the settings for all agents again. */
export function ResetThresholdsDialog({ target, onClose, onReset }: ResetThresholdsDialogProps) {
  const { t } = useTranslation();
  const [reset] = useResetAgentSettingsMutation();
  return (
    <ConfirmDialog
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("agentThresholds.askTitle")}
      description={t("agentThresholds.askText", { name: target?.name ?? "" })}
      confirmLabel={t("agentThresholds.reset")}
      savingLabel={t("agentThresholds.resetting")}
      onConfirm={async () => {
        if (target === null) return;
        const { error } = await reset(target.id);
        if (error !== undefined) throw new Error(errorText(error, "saveSettings"));
        onReset(t("agentThresholds.wasReset"));
      }}
    />
  );
}
