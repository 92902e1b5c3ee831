import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { type TargetName, useRemoveSettingsMutation } from "../api.ts";

type RemoveSettingsDialogProps = {
  /** Whose settings are to be removed; null: the dialog is closed. */
  target: TargetName | null;
  onClose: () => void;
  /** Takes the success message. */
  onRemoved: (message: string) => void;
};

/** Asks before a monitor or an agent follows the settings for all again. */
export function RemoveSettingsDialog({ target, onClose, onRemoved }: RemoveSettingsDialogProps) {
  const { t } = useTranslation();
  const [remove] = useRemoveSettingsMutation();
  return (
    <ConfirmDialog
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("notificationSettings.remove.title")}
      description={t("notificationSettings.remove.text", { name: target?.name ?? "" })}
      confirmLabel={t("notificationSettings.remove.action")}
      savingLabel={t("common.deleting")}
      onConfirm={async () => {
        if (target === null) return;
        const { data, error } = await remove({ scope: target.type, targetId: target.id });
        if (error !== undefined) throw new Error(errorText(error, "deletion"));
        onRemoved(data?.message ?? t("notificationSettings.remove.success"));
      }}
    />
  );
}
