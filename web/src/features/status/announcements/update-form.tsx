import { useEffect } from "react";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { type Announcement, usePostUpdateMutation } from "../../../app/announcements/api.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { checkUpdate, type UpdateValues } from "./form-values.ts";
import { MarkdownField } from "./markdown-field.tsx";
import { StateField } from "./state-field.tsx";
import { useSaving } from "./use-saving.ts";

type UpdateFormProps = {
  announcement: Announcement;
  onSaved: (notice: string) => void;
  report: (part: "update", unsaved: boolean) => void;
  autoFocus: boolean;
};

/** Says what is new. It begins with the state as it is. */
export function UpdateForm({ announcement, onSaved, report, autoFocus }: UpdateFormProps) {
  const { t } = useTranslation();
  const { id, state, resolvedAt } = announcement;
  const [post] = usePostUpdateMutation();
  const { form, error, isDirty, isSubmitting, submit } = useSaving<UpdateValues>({
    initial: { state, text: "" },
    check: checkUpdate,
    fields: ["state", "text"],
    fallback: "postUpdate",
    onSave: async (values) => {
      const { message } = await post({ id, input: values }).unwrap();
      form.reset({ state: values.state, text: "" });
      onSaved(message ?? t("announcements.posted"));
    },
  });
  useEffect(() => report("update", isDirty), [report, isDirty]);
  // It may be shown anew, once posted.
  useEffect(() => () => report("update", false), [report]);
  return (
    <Card title={t("announcements.postUpdate")}>
      <FormProvider {...form}>
        <form noValidate onSubmit={submit} className="flex flex-col gap-4">
          {error !== null && <Alert kind="error">{error}</Alert>}
          <StateField hint={resolvedAt === undefined ? undefined : t("announcements.reopens")} />
          <MarkdownField<UpdateValues>
            name="text"
            label={t("announcements.text")}
            rows={4}
            required
            autoFocus={autoFocus}
          />
          <div className="flex justify-end">
            <Button type="submit" variant="primary" saving={isSubmitting} savingLabel={t("announcements.posting")}>
              {t("announcements.post")}
            </Button>
          </div>
        </form>
      </FormProvider>
    </Card>
  );
}
