import type { Announcement } from "@sonde/proto/http/status/announcements";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { usePostUpdateMutation } from "../../../app/announcements/api.ts";
import { FormMessages, oneOfFields, useSaveForm } from "../../../app/save-form.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { checkUpdate, type UpdateValues } from "./form-values.ts";
import { MarkdownField } from "./markdown-field.tsx";
import { StateField } from "./state-field.tsx";

type UpdateFormProps = {
  announcement: Announcement;
  onSaved: (notice: string) => void;
  report: (part: "update", unsaved: boolean) => void;
  autoFocus: boolean;
};

/** Posts an update. It begins with the state as it is. */
export function UpdateForm({ announcement, onSaved, report, autoFocus }: UpdateFormProps) {
  const { t } = useTranslation();
  const { id, state, resolvedAt } = announcement;
  const [post] = usePostUpdateMutation();
  const saveForm = useSaveForm<UpdateValues>({
    initial: { state, text: "" },
    check: checkUpdate,
    fieldOf: oneOfFields("state", "text"),
    fallback: "postUpdate",
    onUnsaved: (unsaved) => report("update", unsaved),
    onSave: async (values) => {
      const { message } = await post({ id, input: values }).unwrap();
      saveForm.form.reset({ state: values.state, text: "" });
      onSaved(message ?? t("announcements.posted"));
    },
  });
  return (
    <Card title={t("announcements.postUpdate")}>
      <FormProvider {...saveForm.form}>
        <form noValidate onSubmit={saveForm.submit} className="flex flex-col gap-4">
          <FormMessages of={saveForm} />
          <StateField hint={resolvedAt === undefined ? undefined : t("announcements.reopens")} />
          <MarkdownField<UpdateValues>
            name="text"
            label={t("announcements.text")}
            rows={4}
            required
            autoFocus={autoFocus}
          />
          <div className="flex justify-end">
            <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("announcements.posting")}>
              {t("announcements.post")}
            </Button>
          </div>
        </form>
      </FormProvider>
    </Card>
  );
}
