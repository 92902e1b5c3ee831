import type { User } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useDeleteUserMutation } from "./api.ts";

type DeleteUserDialogProps = {
  /** The one to delete; null: closed. */
  user: Pick<User, "id" | "username"> | null;
  onClose: () => void;
  onDeleted: (said: string) => void;
};

/** Asks by name before an account goes. */
export function DeleteUserDialog({ user, onClose, onDeleted }: DeleteUserDialogProps) {
  const { t } = useTranslation();
  const [remove] = useDeleteUserMutation();
  return (
    <ConfirmDialog
      open={user !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("users.remove.title")}
      description={t("users.remove.text", { name: user?.username ?? "" })}
      confirmLabel={t("common.delete")}
      savingLabel={t("common.deleting")}
      onConfirm={async () => {
        if (user === null) return;
        const { data, error } = await remove(user.id);
        if (error !== undefined) throw new Error(errorText(error, "deleteUser"));
        onDeleted(data?.message ?? t("users.remove.success"));
      }}
    />
  );
}
