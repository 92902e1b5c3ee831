import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { paths } from "../../../app/paths.ts";
import { PageHeader } from "../../../ui/page-header.tsx";
import { useCreateTemplateMutation } from "../api.ts";
import { emptyValues } from "./form-values.ts";
import { TemplateForm } from "./template-form.tsx";

export default function CreateScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateTemplateMutation();
  return (
    <>
      <PageHeader title={t("templates.createTitle")} />
      <TemplateForm
        initial={emptyValues}
        labels={{ submit: t("templates.create"), saving: t("templates.creating") }}
        onSave={async (input) => {
          const { message } = await create(input).unwrap();
          const notice = message ?? t("templates.created");
          return () => void navigate(paths.notificationTemplates, { state: { notice }, replace: true });
        }}
        onCancel={() => void navigate(paths.notificationTemplates)}
      />
    </>
  );
}
