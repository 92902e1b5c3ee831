import { useTranslation } from "react-i18next";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";

type SaveBarProps = {
  error: string | null;
  saved: string | null;
  isDirty: boolean;
  isSaving: boolean;
  onDiscard: () => void;
};

/** Saving and what came of it, in reach from anywhere in the form. */
export function SaveBar({ error, saved, isDirty, isSaving, onDiscard }: SaveBarProps) {
  const { t } = useTranslation();
  return (
    <div className="sticky bottom-0 z-20 -mx-4 flex flex-col gap-2 border-t border-line bg-ground/95 px-4 py-3 backdrop-blur-md md:mx-0 md:px-0">
      {error !== null && <Alert kind="error">{error}</Alert>}
      {saved !== null && !isDirty && <Alert kind="success">{saved}</Alert>}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-[13px] text-muted">{isDirty ? t("statusPage.unsaved") : t("statusPage.allSaved")}</p>
        {isDirty && (
          <Button variant="ghost" disabled={isSaving} onClick={onDiscard}>
            {t("statusPage.discard")}
          </Button>
        )}
        <Button
          type="submit"
          variant="primary"
          disabled={!isDirty}
          saving={isSaving}
          savingLabel={t("statusPage.saving")}
        >
          {t("statusPage.save")}
        </Button>
      </div>
    </div>
  );
}
