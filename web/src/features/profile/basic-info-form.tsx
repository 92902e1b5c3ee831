import { updateUserInput, type UpdateUserInput, type User } from "@sonde/proto/http/users";
import { useEffect, useEffectEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { currentLanguage } from "../../app/language.ts";
import { faultsIn, resolveFaults } from "../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../lib/translated-message.ts";
import { placeFaults } from "../../lib/server-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";
import { useUpdateProfileMutation } from "./api.ts";

type BasicValues = { username: string; email: string };
export type ProfileFormProps = { user: User | null; onUnsaved: (unsaved: boolean) => void };

const toValues = (user: User | null): BasicValues => ({ username: user?.username ?? "", email: user?.email ?? "" });

/** What is sent: an empty address is left out, which clears it. */
function readInput({ username, email }: BasicValues): UpdateUserInput {
  const address = email.trim();
  return { username: username.trim(), email: address || undefined };
}

/** One's own name and address. */
export function BasicInfoForm({ user, onUnsaved }: ProfileFormProps) {
  const { t } = useTranslation();
  const [update] = useUpdateProfileMutation();
  const [error, setError] = useTranslatedMessage();
  const [saved, setSaved] = useState<string | null>(null);
  const form = useForm<BasicValues>({
    values: toValues(user),
    resetOptions: { keepDirtyValues: true },
    resolver: resolveFaults((values) => faultsIn(updateUserInput, readInput(values)), currentLanguage),
  });
  const { isDirty, isSubmitting, errors } = form.formState;
  const tell = useEffectEvent(onUnsaved);
  useEffect(() => tell(isDirty), [isDirty]);

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    setSaved(null);
    if (user === null) return setError(() => errorText(null, "notLoggedIn"));
    try {
      const answer = await update({ id: user.id, input: readInput(values) }).unwrap();
      form.reset(toValues(answer.user));
      setSaved(answer.message ?? t("profile.basic.success"));
    } catch (reason) {
      const rest = placeFaults(form, ["username", "email"], fieldErrorsOf(reason));
      setError(() => [errorText(reason, "updateProfile"), ...rest].join(" · "));
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card title={t("profile.basic.title")}>
        <div className="flex flex-col gap-4">
          {error !== null && <Alert kind="error">{error}</Alert>}
          {saved !== null && !isDirty && <Alert kind="success">{saved}</Alert>}
          <div className="grid gap-4 md:grid-cols-2">
            <Field label={t("profile.basic.username")} error={errors.username?.message} required>
              {(ids) => (
                <Input
                  {...ids}
                  {...form.register("username")}
                  aria-required
                  autoComplete="username"
                  autoCapitalize="none"
                  spellCheck={false}
                />
              )}
            </Field>
            <Field label={t("common.optional", { label: t("profile.basic.email") })} error={errors.email?.message}>
              {(ids) => <Input {...ids} {...form.register("email")} type="email" autoComplete="email" />}
            </Field>
          </div>
          <div className="flex justify-end">
            <Button type="submit" variant="primary" saving={isSubmitting} savingLabel={t("profile.basic.saving")}>
              {t("profile.basic.submit")}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}
