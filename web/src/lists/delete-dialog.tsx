import { useTranslation } from "react-i18next";
import { errorText, type Fallback } from "../app/errors.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import type { DeleteNoun } from "./noun.ts";

export type DeleteDialogProps = {
  /** What is to be deleted; null: the dialog is closed. */
  target: { id: number; name: string } | null;
  onClose: () => void;
  /** Takes the success message. */
  onDeleted: (message: string) => void;
};

type Removal = {
  noun: DeleteNoun;
  /** The catalogue's words for a failure for which the server sent none. */
  fallback: Fallback;
  remove: (id: number) => PromiseLike<{ data?: { message?: string | undefined }; error?: unknown }>;
};

/** Asks by name before something is deleted. */
export function DeleteDialog({ target, onClose, onDeleted, noun, fallback, remove }: DeleteDialogProps & Removal) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t(`${noun}.remove.title`)}
      description={t(`${noun}.remove.text`, { name: target?.name ?? "" })}
      confirmLabel={t("common.delete")}
      savingLabel={t("common.deleting")}
      onConfirm={async () => {
        if (target === null) return;
        const { data, error } = await remove(target.id);
        if (error !== undefined) throw new Error(errorText(error, fallback));
        onDeleted(data?.message ?? t(`${noun}.remove.success`));
      }}
    />
  );
}
