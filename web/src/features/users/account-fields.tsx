import type { Role, UserStatus } from "@sonde/proto/http/users";
import type { TFunction } from "i18next";
import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { FormError } from "../../lib/form-errors.ts";
import { Field } from "../../ui/field.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Input, PasswordInput, Select } from "../../ui/inputs.tsx";
import { roles, userStatuses } from "./list.ts";

export type NameValues = { username: string; email: string };
export type AccountValues = NameValues & { role: Role };
export type EditValues = AccountValues & { status: UserStatus; emailVerified: boolean };
export type PasswordValues = { password: string; confirmPassword: string };

/** Omits an empty email address, which clears it. */
export function readNames({ username, email }: NameValues) {
  return { username: username.trim(), email: email.trim() || undefined };
}

export function mismatch({ password, confirmPassword }: PasswordValues, t: TFunction): FormError[] {
  return password === confirmPassword ? [] : [{ path: "confirmPassword", text: t("auth.register.mismatch") }];
}

export function NameFields({ own = false, autoFocus = false }: { own?: boolean; autoFocus?: boolean }) {
  const { t } = useTranslation();
  const complete = (name: string) => (own ? name : "off");
  return (
    <>
      <FormField<NameValues> name="username" label={t("users.fields.username")} required>
        {(props) => (
          <Input
            {...props}
            autoComplete={complete("username")}
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={autoFocus}
          />
        )}
      </FormField>
      <FormField<NameValues> name="email" label={t("common.optional", { label: t("users.fields.email") })}>
        {(props) => <Input {...props} type="email" autoComplete={complete("email")} />}
      </FormField>
    </>
  );
}

export function RoleField({ locked }: { locked?: Role | undefined }) {
  const { t } = useTranslation();
  const { watch } = useFormContext<AccountValues>();
  return (
    <ChoiceField
      name="role"
      label={t("users.fields.role")}
      hint={locked === undefined ? t(`users.roleHints.${watch("role")}`) : t("users.edit.ownRole")}
      locked={locked}
      options={roles.map((value) => ({ value, label: t(`users.roles.${value}`) }))}
    />
  );
}

export function StatusField({ locked }: { locked: UserStatus | undefined }) {
  const { t } = useTranslation();
  return (
    <ChoiceField
      name="status"
      label={t("users.fields.status")}
      locked={locked}
      options={userStatuses.map((value) => ({ value, label: t(`users.statuses.${value}`) }))}
    />
  );
}

type ChoiceFieldProps = {
  name: "role" | "status";
  label: string;
  hint?: string;
  locked: string | undefined;
  options: { value: string; label: string }[];
};

function ChoiceField({ name, label, hint, locked, options }: ChoiceFieldProps) {
  const { register, formState } = useFormContext<EditValues>();
  return (
    <Field label={label} error={formState.errors[name]?.message} hint={hint}>
      {(ids) => (
        <Select
          {...ids}
          {...(locked === undefined ? register(name) : { disabled: true, defaultValue: locked })}
          className="w-full"
          options={options}
        />
      )}
    </Field>
  );
}

export function NewPasswordFields({ labels }: { labels: { password: string; confirmPassword: string } }) {
  const { t } = useTranslation();
  return (["password", "confirmPassword"] as const).map((name) => (
    <FormField<PasswordValues>
      key={name}
      name={name}
      label={labels[name]}
      hint={name === "password" ? t("auth.register.passwordHint") : undefined}
      required
    >
      {(props) => <PasswordInput {...props} autoComplete="new-password" />}
    </FormField>
  ));
}
