import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { Button } from "../ui/button.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import type { Removal } from "./delete-dialog.tsx";

// Loaded on demand: deletion is rare, and the dialog is a tenth of the page's size.
const DeleteDialog = lazy(async () => ({ default: (await import("./delete-dialog.tsx")).DeleteDialog }));

type DeleteButtonProps = Removal & {
  target: { id: number; name: string };
  /** Destination after deletion, which shows the success message. */
  to: string;
  /** Why it cannot be deleted. Disables the button. */
  refusal?: string | undefined;
};

export function DeleteButton({ target, to, refusal, ...removal }: DeleteButtonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<boolean | null>(null);
  return (
    <>
      <Button disabled={refusal !== undefined} title={refusal} onClick={() => setAsking(true)}>
        <TrashIcon />
        {t("common.delete")}
      </Button>
      {asking !== null && (
        <Suspense fallback={null}>
          <DeleteDialog
            {...removal}
            target={asking ? target : null}
            onClose={() => setAsking(false)}
            onDeleted={(message) => void navigate(to, { state: { notice: message } })}
          />
        </Suspense>
      )}
    </>
  );
}
