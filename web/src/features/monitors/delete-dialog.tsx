import type { Monitor } from "@sonde/proto/http/monitors";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useDeleteMonitorMutation } from "./api.ts";

type DeleteMonitorDialogProps = {
  /** The one to delete; null: closed. */
  monitor: Pick<Monitor, "id" | "name"> | null;
  onClose: () => void;
  onDeleted: () => void;
};

/** Asks before a monitor and its history go. */
export function DeleteMonitorDialog({ monitor, onClose, onDeleted }: DeleteMonitorDialogProps) {
  const { t } = useTranslation();
  const [remove] = useDeleteMonitorMutation();
  return (
    <ConfirmDialog
      open={monitor !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("monitors.remove.title")}
      description={t("monitors.remove.text", { name: monitor?.name ?? "" })}
      confirmLabel={t("common.delete")}
      savingLabel={t("common.deleting")}
      onConfirm={async () => {
        if (monitor === null) return;
        const answer = await remove(monitor.id);
        if (answer.error !== undefined) throw new Error(errorText(answer.error, "deleteMonitor"));
        onDeleted();
      }}
    />
  );
}
