import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { Button } from "../ui/button.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import type { Removal } from "./delete-dialog.tsx";

// A page is deleted seldom, and asking brings a tenth of what the page itself does.
const DeleteDialog = lazy(async () => ({ default: (await import("./delete-dialog.tsx")).DeleteDialog }));

type DeleteButtonProps = Removal & {
  target: { id: number; name: string };
  /** Where to go then, with the success message as its notice. */
  to: string;
  /** Why it cannot be deleted; the button is disabled then. */
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
