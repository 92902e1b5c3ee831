import { pageInput } from "@sonde/proto/http/status/pages";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/form-field.tsx";
import { settingsPath, useCreatePageMutation } from "./api.ts";

type NewPageValues = { title: string; slug: string };

export function NewPage({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreatePageMutation();
  const saveForm = useSaveForm<NewPageValues>({
    initial: { title: "", slug: "" },
    check: (values) => schemaErrors(pageInput, trimmed(values)),
    fallback: "createPage",
    onSave: async (values) => {
      const { page } = await create(trimmed(values)).unwrap();
      return () => {
        onClose();
        void navigate(settingsPath(page.slug));
      };
    },
  });
  return (
    <Dialog onClose={onClose} title={t("statusPage.pages.add")} description={t("statusPage.pages.addText")}>
      <SaveForm of={saveForm}>
        <TextField<NewPageValues> name="title" label={t("statusPage.fields.title.label")} required autoFocus />
        <TextField<NewPageValues>
          name="slug"
          label={t("statusPage.pages.slug")}
          hint={t("statusPage.pages.slugHint")}
          required
          mono
        />
        <FormButtons of={saveForm} submit={t("statusPage.pages.create")} onCancel={onClose} />
      </SaveForm>
    </Dialog>
  );
}

const trimmed = ({ title, slug }: NewPageValues) => ({ title: title.trim(), slug: slug.trim() });
