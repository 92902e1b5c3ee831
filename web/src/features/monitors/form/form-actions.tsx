import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";

type FormActionsProps = {
  labels: { submit: string; saving: string };
  testing: boolean;
  saving: boolean;
  onTest: () => void;
  onCancel: () => void;
};

/** The end of the form: leave it, try it, save it. One at a time. */
export function FormActions({ labels, testing, saving, onTest, onCancel }: FormActionsProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <p className="mr-auto text-[13px] text-faint max-sm:w-full">{t("monitorForm.testNote")}</p>
      <Button onClick={onCancel} variant="ghost" className="max-sm:mr-auto max-sm:-ml-2">
        {t("common.cancel")}
      </Button>
      <Button saving={testing} savingLabel={t("monitorForm.testing")} disabled={saving} onClick={onTest}>
        {t("monitorForm.test")}
      </Button>
      <Button type="submit" variant="primary" saving={saving} savingLabel={labels.saving} disabled={testing}>
        {labels.submit}
      </Button>
    </div>
  );
}
