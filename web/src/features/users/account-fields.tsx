import type { Role } from "@sonde/proto/http/users";
import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { AccountValues, PasswordValues } from "./form-values.ts";
import { roles } from "./list.ts";
import { Field } from "../../ui/field.tsx";
import { Input, Select, PasswordInput } from "../../ui/inputs.tsx";

/** Name and address of an account. */
export function NameFields({ autoFocus = false }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<AccountValues>();
  const { errors } = formState;
  return (
    <>
      <Field label={t("users.username")} error={errors.username?.message} required>
        {(ids) => (
          <Input
            {...ids}
            {...register("username")}
            aria-required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={autoFocus}
          />
        )}
      </Field>
      <Field label={t("common.optional", { label: t("users.email") })} error={errors.email?.message}>
        {(ids) => <Input {...ids} {...register("email")} type="email" autoComplete="off" />}
      </Field>
    </>
  );
}

/** What the account may do, in a word and in a sentence. `locked`: one's own, which is only shown. */
export function RoleField({ locked }: { locked?: Role }) {
  const { t } = useTranslation();
  const { register, formState, watch } = useFormContext<AccountValues>();
  return (
    <Field
      label={t("users.role")}
      error={formState.errors.role?.message}
      hint={locked === undefined ? t(`users.roleHints.${watch("role")}`) : t("users.edit.ownRole")}
    >
      {(ids) => (
        <Select
          {...ids}
          {...(locked === undefined ? register("role") : { disabled: true, defaultValue: locked })}
          className="w-full"
        >
          {roles.map((role) => (
            <option key={role} value={role}>
              {t(`users.roles.${role}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** A password that an administrator gives, twice. */
export function NewPasswordFields({ labels }: { labels: { password: string; confirmPassword: string } }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<PasswordValues>();
  const { errors } = formState;
  return (
    <>
      <Field label={labels.password} error={errors.password?.message} hint={t("auth.register.passwordHint")} required>
        {(ids) => <PasswordInput {...ids} {...register("password")} aria-required autoComplete="new-password" />}
      </Field>
      <Field label={labels.confirmPassword} error={errors.confirmPassword?.message} required>
        {(ids) => <PasswordInput {...ids} {...register("confirmPassword")} aria-required autoComplete="new-password" />}
      </Field>
    </>
  );
}
