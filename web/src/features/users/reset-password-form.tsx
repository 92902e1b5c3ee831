import { newPassword, type User } from "@sonde/proto/http/users";
import { useEffect, useEffectEvent, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { currentLanguage } from "../../app/language.ts";
import { faultsIn, resolveFaults } from "../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../lib/translated-message.ts";
import { placeFaults } from "../../lib/server-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { NewPasswordFields } from "./account-fields.tsx";
import { useResetPasswordMutation } from "./api.ts";
import { mismatch, type PasswordValues } from "./form-values.ts";

const input = z.object({ password: newPassword });
const empty: PasswordValues = { password: "", confirmPassword: "" };

type ResetPasswordFormProps = { user: Pick<User, "id" | "username">; onUnsaved: (unsaved: boolean) => void };

/** Gives another user a new password; they are logged out everywhere. */
export function ResetPasswordForm({ user, onUnsaved }: ResetPasswordFormProps) {
  const { t } = useTranslation();
  const [send] = useResetPasswordMutation();
  const [error, setError] = useTranslatedMessage();
  const [saved, setSaved] = useState<string | null>(null);
  const form = useForm<PasswordValues>({
    defaultValues: empty,
    resolver: resolveFaults((values) => [...faultsIn(input, values), ...mismatch(values, t)], currentLanguage),
  });
  const { isDirty, isSubmitting } = form.formState;
  const tell = useEffectEvent(onUnsaved);
  useEffect(() => tell(isDirty), [isDirty]);

  const submit = form.handleSubmit(async ({ password }) => {
    setError(null);
    setSaved(null);
    try {
      const { message } = await send({ id: user.id, newPassword: password }).unwrap();
      form.reset(empty);
      setSaved(`${message ?? t("users.reset.success")} · ${t("users.reset.sessionsEnded")}`);
    } catch (reason) {
      // The call has its own name for the field.
      const faults = fieldErrorsOf(reason).map(({ path, message }) => ({
        path: path === "newPassword" ? "password" : path,
        message,
      }));
      const rest = placeFaults(form, ["password"], faults);
      setError(() => [errorText(reason, "changePassword"), ...rest].join(" · "));
    }
  });

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Card title={t("users.reset.title")}>
          <div className="flex flex-col gap-4">
            {error !== null && <Alert kind="error">{error}</Alert>}
            {saved !== null && !isDirty && <Alert kind="success">{saved}</Alert>}
            <div className="grid gap-4 md:grid-cols-2">
              <NewPasswordFields
                labels={{ password: t("users.reset.newPassword"), confirmPassword: t("users.reset.confirmPassword") }}
              />
            </div>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-[13px] text-muted">{t("users.reset.text")}</p>
              <Button type="submit" saving={isSubmitting} savingLabel={t("users.reset.saving")}>
                {t("users.reset.submit")}
              </Button>
            </div>
          </div>
        </Card>
      </form>
    </FormProvider>
  );
}
