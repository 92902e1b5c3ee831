import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { paths } from "../../app/paths.ts";
import { FormButtons, FormMessages, oneOfFields, useSaveForm } from "../../app/save-form.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { UnsavedGuard } from "../../app/unsaved-guard.tsx";
import { NameFields, NewPasswordFields, RoleField } from "./account-fields.tsx";
import { useCreateUserMutation } from "./api.ts";
import { checkCreate, type CreateValues, emptyValues, readCreate } from "./form-values.ts";

export default function CreateScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateUserMutation();
  const saveForm = useSaveForm<CreateValues>({
    initial: emptyValues,
    check: (values) => checkCreate(values, t),
    fieldOf: oneOfFields("username", "email", "role", "password"),
    fallback: "createUser",
    onSave: async (values) => {
      const { message } = await create(readCreate(values)).unwrap();
      const state = { notice: message ?? t("users.create.success") };
      return () => void navigate(paths.users, { state, replace: true });
    },
  });

  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("users.create.title")} description={t("users.create.note")} />
      <FormProvider {...saveForm.form}>
        <form noValidate className="flex flex-col gap-4" onSubmit={saveForm.submit}>
          <FormMessages of={saveForm} draft="user" />
          <Card>
            <div className="grid gap-4 md:grid-cols-2">
              <NameFields autoFocus />
              <NewPasswordFields
                labels={{ password: t("auth.password"), confirmPassword: t("auth.confirmPassword") }}
              />
              <RoleField />
            </div>
          </Card>
          <FormButtons
            labels={{ submit: t("users.create.submit"), saving: t("users.create.saving") }}
            isSaving={saveForm.isSaving}
            onCancel={() => void navigate(paths.users)}
          />
          <UnsavedGuard unsaved={saveForm.unsaved} />
        </form>
      </FormProvider>
    </div>
  );
}
