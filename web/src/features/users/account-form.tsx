import type { User } from "@sonde/proto/http/users";
import { useEffect, useEffectEvent, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { currentLanguage } from "../../app/language.ts";
import { resolveFaults } from "../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../lib/translated-message.ts";
import { placeFaults } from "../../lib/server-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/inputs.tsx";
import { NameFields, RoleField } from "./account-fields.tsx";
import { useUpdateUserMutation } from "./api.ts";
import { userStatuses } from "./enums.ts";
import { checkUpdate, type EditValues, readUpdate, toValues } from "./form-values.ts";

type AccountFormProps = { user: User; isSelf: boolean; onUnsaved: (unsaved: boolean) => void };

/** Name, address, role and status of a user; one's own role and status are for another administrator. */
export function AccountForm({ user, isSelf, onUnsaved }: AccountFormProps) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  const [error, setError] = useTranslatedMessage();
  const [saved, setSaved] = useState<string | null>(null);
  const form = useForm<EditValues>({
    values: toValues(user),
    resetOptions: { keepDirtyValues: true },
    resolver: resolveFaults((values) => checkUpdate(values, isSelf), currentLanguage),
  });
  const { isDirty, isSubmitting, errors } = form.formState;
  const tell = useEffectEvent(onUnsaved);
  useEffect(() => tell(isDirty), [isDirty]);

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    setSaved(null);
    try {
      const answer = await update({ id: user.id, input: readUpdate(values, isSelf) }).unwrap();
      form.reset(toValues(answer.user));
      setSaved(answer.message ?? t("users.edit.success"));
    } catch (reason) {
      const rest = placeFaults(form, ["username", "email", "role", "status"], fieldErrorsOf(reason));
      setError(() => [errorText(reason, "updateUser"), ...rest].join(" · "));
    }
  });

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Card title={t("users.edit.account")}>
          <div className="flex flex-col gap-4">
            {error !== null && <Alert kind="error">{error}</Alert>}
            {saved !== null && !isDirty && <Alert kind="success">{saved}</Alert>}
            <div className="grid gap-4 md:grid-cols-2">
              <NameFields />
              <RoleField {...(isSelf ? { locked: user.role } : {})} />
              <Field label={t("users.status")} error={errors.status?.message}>
                {(ids) => (
                  <Select
                    {...ids}
                    {...(isSelf ? { disabled: true, defaultValue: user.status } : form.register("status"))}
                    className="w-full"
                  >
                    {userStatuses.map((status) => (
                      <option key={status} value={status}>
                        {t(`users.statuses.${status}`)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            </div>
            <div className="flex justify-end">
              <Button type="submit" variant="primary" saving={isSubmitting} savingLabel={t("users.edit.saving")}>
                {t("users.edit.submit")}
              </Button>
            </div>
          </div>
        </Card>
      </form>
    </FormProvider>
  );
}
