import { useEffect, useEffectEvent, useState } from "react";
import { type FieldPath, useForm } from "react-hook-form";
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
import { PasswordInput } from "../../ui/password-input.tsx";
import { useChangeOwnPasswordMutation } from "./api.ts";
import type { ProfileFormProps } from "./basic-info-form.tsx";
import { checkPasswords, emptyPasswords, type PasswordValues } from "./password-values.ts";

/** Changes one's own password; every other session ends. */
export function PasswordForm({ user, onUnsaved }: ProfileFormProps) {
  const { t } = useTranslation();
  const [change] = useChangeOwnPasswordMutation();
  const [error, setError] = useTranslatedMessage();
  const [saved, setSaved] = useState<string | null>(null);
  const form = useForm<PasswordValues>({
    defaultValues: emptyPasswords,
    resolver: resolveFaults((values) => checkPasswords(values, t), currentLanguage),
  });
  const { isDirty, isSubmitting, errors } = form.formState;
  const tell = useEffectEvent(onUnsaved);
  useEffect(() => tell(isDirty), [isDirty]);

  const submit = form.handleSubmit(async ({ currentPassword, newPassword }) => {
    setError(null);
    setSaved(null);
    if (user === null) return setError(() => errorText(null, "notLoggedIn"));
    try {
      const { message } = await change({ id: user.id, input: { currentPassword, newPassword } }).unwrap();
      form.reset(emptyPasswords);
      setSaved(`${message ?? t("profile.password.success")} · ${t("profile.password.sessionsEnded")}`);
    } catch (reason) {
      const rest = placeFaults(form, ["currentPassword", "newPassword"], fieldErrorsOf(reason));
      setError(() => [errorText(reason, "changePassword"), ...rest].join(" · "));
    }
  });

  const field = (name: FieldPath<PasswordValues>, label: string, autoComplete: string, hint?: string) => (
    <Field label={label} error={errors[name]?.message} required hint={hint}>
      {(ids) => <PasswordInput {...ids} {...form.register(name)} aria-required autoComplete={autoComplete} />}
    </Field>
  );
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card title={t("profile.password.title")}>
        <div className="flex flex-col gap-4">
          {error !== null && <Alert kind="error">{error}</Alert>}
          {saved !== null && !isDirty && <Alert kind="success">{saved}</Alert>}
          {/* Tells a password manager whose password it is. */}
          <input type="text" name="username" autoComplete="username" value={user?.username ?? ""} readOnly hidden />
          <div className="grid gap-4 md:grid-cols-2">
            <div className="md:col-span-2 md:w-[calc(50%-0.5rem)]">
              {field("currentPassword", t("profile.password.current"), "current-password")}
            </div>
            {field("newPassword", t("profile.password.new"), "new-password", t("profile.password.hint"))}
            {field("confirmPassword", t("profile.password.confirm"), "new-password")}
          </div>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-[13px] text-muted">{t("profile.password.note")}</p>
            <Button type="submit" variant="primary" saving={isSubmitting} savingLabel={t("profile.password.saving")}>
              {t("profile.password.submit")}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}
