import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useHeldNavigation } from "../lib/router.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before work that was not saved is lost: within the app by a dialog, at closing by the browser's own question. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const { t } = useTranslation();
  const { held, forget } = useHeldNavigation(unsaved);
  useEffect(() => {
    if (!unsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [unsaved]);

  return (
    <Dialog
      open={held !== null}
      onOpenChange={(open) => !open && forget()}
      title={t("common.leave.title")}
      description={t("common.leave.text")}
      footer={
        <>
          <Button onClick={forget}>{t("common.leave.stay")}</Button>
          <Button variant="danger" onClick={() => held?.proceed()}>
            {t("common.leave.leave")}
          </Button>
        </>
      }
    />
  );
}
