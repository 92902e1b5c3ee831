import { newPassword, updateUserInput, type User } from "@sonde/proto/http/users";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import * as z from "zod";
import { errorText } from "../../app/errors.ts";
import { useFactorsQuery } from "../../entities/factors/api.ts";
import { useSession } from "../../app/hooks.ts";
import { apiReference, paths } from "../../app/paths.ts";
import { type AfterSave, FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { UnsavedGuard, useUnsavedParts } from "../../app/forms/unsaved-guard.tsx";
import { schemaErrors, type FormError } from "../../lib/form-errors.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { CodeIcon } from "../../ui/icons.tsx";
import { PasswordInput } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Time } from "../../ui/time.tsx";
import { NameFields, type NameValues, readNames } from "./account-fields.tsx";
import { FactorsCard } from "./factors/factors-card.tsx";
import { KeysCard } from "./keys/keys-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { useChangePasswordMutation, useUpdateUserMutation } from "./api.ts";

export default function ProfileScreen() {
  const { t } = useTranslation();
  const { user } = useSession();
  const { unsaved, report } = useUnsavedParts<"basic" | "password">();
  // Accounts of a sign-in provider have no password and no second factors.
  const hasPassword = useFactorsQuery().data?.hasPassword !== false;
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t("profile.title")}
        description={
          user !== null && (
            <>
              {t("profile.since", { role: t(`users.roles.${user.role}`) })} <Time at={user.createdAt} relative />
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        <BasicInfoForm user={user} onUnsaved={(yes) => report("basic", yes)} />
        {hasPassword && (
          <>
            <PasswordForm user={user} onUnsaved={(yes) => report("password", yes)} />
            <FactorsCard />
          </>
        )}
        <OnCallCard />
        <SessionsCard />
        <KeysCard />
        <ApiCard />
      </div>
      <UnsavedGuard unsaved={unsaved} />
    </div>
  );
}

type ProfileFormProps = { user: User | null; onUnsaved: (unsaved: boolean) => void };

const toValues = (user: User | null): NameValues => ({ username: user?.username ?? "", email: user?.email ?? "" });

export function BasicInfoForm({ user, onUnsaved }: ProfileFormProps) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  const saveForm = useSaveForm<NameValues>({
    stored: toValues(user),
    check: (values) => schemaErrors(updateUserInput, readNames(values)),
    fallback: "updateProfile",
    onUnsaved,
    onSave: async (values): Promise<AfterSave> => {
      if (user === null) return saveForm.setError(() => errorText(null, "notLoggedIn"));
      const answer = await update({ id: user.id, input: readNames(values) }).unwrap();
      saveForm.form.reset(toValues(answer.user));
      return answer.message ?? t("profile.basic.success");
    },
  });
  return (
    <Card title={t("profile.basic.title")}>
      <SaveForm of={saveForm}>
        <div className="grid gap-4 md:grid-cols-2">
          <NameFields own />
        </div>
        <FormButtons of={saveForm} submit={t("profile.basic.submit")} />
      </SaveForm>
    </Card>
  );
}

type OwnPasswordValues = { currentPassword: string; newPassword: string; confirmPassword: string };

const noPasswords: OwnPasswordValues = { currentPassword: "", newPassword: "", confirmPassword: "" };

export function PasswordForm({ user, onUnsaved }: ProfileFormProps) {
  const { t } = useTranslation();
  const [change] = useChangePasswordMutation();
  const saveForm = useSaveForm<OwnPasswordValues>({
    initial: noPasswords,
    check: (values) => checkPasswords(values, t),
    fallback: "changePassword",
    onUnsaved,
    onSave: async ({ currentPassword, newPassword }): Promise<AfterSave> => {
      if (user === null) return saveForm.setError(() => errorText(null, "notLoggedIn"));
      const { message } = await change({ id: user.id, input: { currentPassword, newPassword } }).unwrap();
      saveForm.form.reset(noPasswords);
      return `${message ?? t("profile.password.success")} · ${t("profile.password.sessionsEnded")}`;
    },
  });
  const field = (name: keyof OwnPasswordValues, label: string, autoComplete: string, hint?: string) => (
    <FormField<OwnPasswordValues> name={name} label={label} required hint={hint}>
      {(props) => <PasswordInput {...props} autoComplete={autoComplete} />}
    </FormField>
  );
  return (
    <Card title={t("profile.password.title")}>
      <SaveForm of={saveForm}>
        {/* Shows password managers which account the password belongs to. */}
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
          <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("profile.password.saving")}>
            {t("profile.password.submit")}
          </Button>
        </div>
      </SaveForm>
    </Card>
  );
}

const passwordInput = z.object({ newPassword });

function checkPasswords(values: OwnPasswordValues, t: TFunction): FormError[] {
  const required = [
    ["currentPassword", t("profile.password.currentRequired")],
    ["newPassword", t("profile.password.newRequired")],
    ["confirmPassword", t("profile.password.confirmRequired")],
  ] as const;
  const errors: FormError[] = required.filter(([path]) => values[path] === "").map(([path, text]) => ({ path, text }));
  errors.push(...schemaErrors(passwordInput, values));
  if (values.newPassword !== values.confirmPassword) {
    errors.push({ path: "confirmPassword", text: t("profile.password.mismatch") });
  }
  return errors;
}

function OnCallCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("contacts.title")}>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted">{t("contacts.text")}</p>
        <ButtonLink to={paths.profileOnCall}>{t("contacts.open")}</ButtonLink>
      </div>
    </Card>
  );
}

function ApiCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("profile.api.title")}>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted">{t("profile.api.text")}</p>
        <a
          href={apiReference}
          className="inline-flex min-h-8 items-center gap-1.5 font-medium text-accent-strong hover:underline"
        >
          <CodeIcon />
          {t("profile.api.link")}
        </a>
      </div>
    </Card>
  );
}
