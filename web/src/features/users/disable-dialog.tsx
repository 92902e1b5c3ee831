import type { User } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useUpdateUserMutation } from "./api.ts";
import { withStatus } from "./list.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";

type DisableUserDialogProps = {
  /** The one to disable; null: closed. */
  user: User | null;
  onClose: () => void;
  onDisabled: (user: User) => void;
};

/** Asks before a user is logged out everywhere. */
export function DisableUserDialog({ user, onClose, onDisabled }: DisableUserDialogProps) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  return (
    <ConfirmDialog
      open={user !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("users.disableTitle")}
      description={t("users.disableText", { name: user?.username ?? "" })}
      confirmLabel={t("users.disable")}
      savingLabel={t("users.disabling")}
      onConfirm={async () => {
        if (user === null) return;
        const { error } = await update({ id: user.id, input: withStatus(user, "disabled") });
        if (error !== undefined) throw new Error(errorText(error, "updateUser"));
        onDisabled(user);
      }}
    />
  );
}
