import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../app/hooks.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { useHotkeys } from "../ui/hotkeys.ts";
import { EditIcon, EyeIcon, TrashIcon } from "../ui/icons.tsx";

type RowActionProps = {
  label: string;
  name: string;
  /** Why the action is not possible. Disables it. */
  refusal?: string | undefined;
  /** Shortcut letter in the focused row. */
  hotkey?: string;
  className?: string;
  children: ReactNode;
} & ({ to: string } | { onClick: () => void });

export function RowAction({ label, name, refusal, hotkey, className, children, ...target }: RowActionProps) {
  const pressed = useHotkeys()(hotkey ?? "");
  const look = { variant: "ghost", size: "icon", className, "aria-label": `${label}: ${name}` } as const;
  const words = hotkey === undefined ? { title: label } : { ...pressed, title: `${label}\n${pressed.title}` };
  return "to" in target ? (
    <ButtonLink {...look} {...words} to={target.to}>
      {children}
    </ButtonLink>
  ) : (
    <Button
      {...look}
      {...words}
      onClick={target.onClick}
      title={refusal ?? words.title}
      disabled={refusal !== undefined}
    >
      {children}
    </Button>
  );
}

type RowActionsProps = {
  name: string;
  viewAt?: string;
  editAt: string;
  more?: ReactNode;
  onDelete: () => void;
  deleteRefusal?: string | undefined;
};

export function RowActions({ name, viewAt, editAt, more, onDelete, deleteRefusal }: RowActionsProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    <span className="inline-flex items-center">
      {viewAt !== undefined && (
        <RowAction label={t("common.view")} name={name} to={viewAt} className="max-sm:hidden">
          <EyeIcon />
        </RowAction>
      )}
      {mayChange && (
        <>
          <RowAction hotkey="e" label={t("common.edit")} name={name} to={editAt}>
            <EditIcon />
          </RowAction>
          {more}
          <RowAction label={t("common.delete")} name={name} onClick={onDelete} refusal={deleteRefusal}>
            <TrashIcon />
          </RowAction>
        </>
      )}
    </span>
  );
}
