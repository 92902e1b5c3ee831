import { useEffect, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { FormDraft } from "../../app/form-draft.tsx";
import { currentLanguage } from "../../app/language.ts";
import { paths } from "../../app/paths.ts";
import { resolveFaults } from "../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../lib/translated-message.ts";
import { placeFaults } from "../../lib/server-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
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
  const [error, setError] = useTranslatedMessage();
  // Where to go once saved. It waits for the render that lifts the guard.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);
  const form = useForm<CreateValues>({
    defaultValues: emptyValues,
    resolver: resolveFaults((values) => checkCreate(values, t), currentLanguage),
  });
  const { isDirty, isSubmitting } = form.formState;

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    try {
      const { message } = await create(readCreate(values)).unwrap();
      const state = { notice: message ?? t("users.create.success") };
      setLeave(() => () => void navigate(paths.users, { state, replace: true }));
    } catch (reason) {
      const rest = placeFaults(form, ["username", "email", "role", "password"], fieldErrorsOf(reason));
      setError(() => [errorText(reason, "createUser"), ...rest].join(" · "));
    }
  });

  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("users.create.title")} description={t("users.create.note")} />
      <FormProvider {...form}>
        <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
          <FormDraft name="user" form={form} unsaved={isDirty && leave === null} />
          {error !== null && <Alert kind="error">{error}</Alert>}
          <Card>
            <div className="grid gap-4 md:grid-cols-2">
              <NameFields autoFocus />
              <NewPasswordFields
                labels={{ password: t("auth.password"), confirmPassword: t("auth.confirmPassword") }}
              />
              <RoleField />
            </div>
          </Card>
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={() => void navigate(paths.users)}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" variant="primary" saving={isSubmitting} savingLabel={t("users.create.saving")}>
              {t("users.create.submit")}
            </Button>
          </div>
          <UnsavedGuard unsaved={isDirty && leave === null} />
        </form>
      </FormProvider>
    </div>
  );
}
