import { useTranslation } from "react-i18next";
import { errorText, type Fallback } from "../app/errors.ts";
import type { DeleteNoun } from "./noun.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";

type ActionDialogProps<Target> = {
  /** `null` closes the dialog. */
  target: Target | null;
  onClose: () => void;
  /** Called with the server's message, if any. */
  onDone: (message: string | undefined) => void;
  title: string;
  text: string;
  /** By default "Delete". */
  action?: string | undefined;
  savingLabel?: string;
  act: (target: Target) => PromiseLike<{ data?: { message?: string | undefined }; error?: unknown }>;
  /** Fallback text for a failure without a server message. */
  fallback: Fallback;
};

export function ActionDialog<Target>(props: ActionDialogProps<Target>) {
  const { target, onClose, onDone, title, text, action, savingLabel, act, fallback } = props;
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      open={target !== null}
      onClose={onClose}
      title={title}
      description={text}
      confirmLabel={action ?? t("common.delete")}
      savingLabel={savingLabel ?? t("common.deleting")}
      onConfirm={async () => {
        if (target === null) return;
        const { data, error } = await act(target);
        if (error !== undefined) throw new Error(errorText(error, fallback));
        onDone(data?.message);
      }}
    />
  );
}

export type DeleteDialogProps = {
  target: { id: number; name: string } | null;
  onClose: () => void;
  onDeleted: (message: string) => void;
};

export type Removal = Pick<ActionDialogProps<never>, "fallback"> & {
  noun: DeleteNoun;
  action?: string;
  remove: (id: number) => PromiseLike<{ data?: { message?: string | undefined }; error?: unknown }>;
};

export function DeleteDialog(props: DeleteDialogProps & Removal) {
  const { target, onClose, onDeleted, noun, fallback, action, remove } = props;
  const { t } = useTranslation();
  return (
    <ActionDialog
      target={target}
      onClose={onClose}
      onDone={(message) => onDeleted(message ?? t(`${noun}.remove.success`))}
      title={t(`${noun}.remove.title`)}
      text={t(`${noun}.remove.text`, { name: target?.name ?? "" })}
      action={action}
      act={({ id }) => remove(id)}
      fallback={fallback}
    />
  );
}
