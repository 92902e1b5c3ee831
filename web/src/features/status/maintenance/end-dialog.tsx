import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { useEndMaintenanceMutation } from "./api.ts";

type EndDialogProps = {
  /** What is to be ended; null: the dialog is closed. */
  target: { id: number; name: string } | null;
  onClose: () => void;
  onEnded: (message: string) => void;
};

/** Asks before what runs is ended: what is still down is alerted then. */
export function EndDialog({ target, onClose, onEnded }: EndDialogProps) {
  const { t } = useTranslation();
  const [end] = useEndMaintenanceMutation();
  return (
    <ConfirmDialog
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("maintenance.endTitle")}
      description={t("maintenance.endText", { name: target?.name ?? "" })}
      confirmLabel={t("maintenance.endNow")}
      savingLabel={t("maintenance.endingNow")}
      onConfirm={async () => {
        if (target === null) return;
        const { data, error } = await end(target.id);
        if (error !== undefined) throw new Error(errorText(error, "endMaintenance"));
        onEnded(data.message ?? t("maintenance.endDone"));
      }}
    />
  );
}
