import { useState } from "react";
import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { currentLanguage } from "../../../app/i18n.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { useLazyTemplatePreviewQuery } from "../api.ts";
import type { TemplateFormValues } from "./form-values.ts";

/** Fills subject and content with the built-in text of the kind; asks first where something was written. */
export function BuiltInButton({ onError }: { onError: (text: string) => void }) {
  const { t } = useTranslation();
  const form = useFormContext<TemplateFormValues>();
  const [ask, { isFetching }] = useLazyTemplatePreviewQuery();
  const [confirming, setConfirming] = useState(false);

  async function fill() {
    const { data, error } = await ask({ kind: form.getValues("kind"), language: currentLanguage() });
    if (data?.builtIn === undefined) throw new Error(errorText(error, "previewTemplate"));
    for (const part of ["subject", "content"] as const) {
      form.setValue(part, data.builtIn[part], { shouldDirty: true, shouldValidate: form.formState.isSubmitted });
    }
  }
  function start() {
    const { subject, content } = form.getValues();
    if (subject.trim() !== "" || content.trim() !== "") return setConfirming(true);
    void fill().catch((reason: unknown) => onError(reason instanceof Error ? reason.message : t("errors.unknown")));
  }
  return (
    <>
      <Button size="sm" saving={isFetching} savingLabel={t("templates.builtInLoading")} onClick={start}>
        {t("templates.builtIn")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title={t("templates.builtInTitle")}
        description={t("templates.builtInText")}
        confirmLabel={t("templates.builtInConfirm")}
        savingLabel={t("templates.builtInLoading")}
        onConfirm={fill}
      />
    </>
  );
}
