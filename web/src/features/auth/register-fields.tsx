import type { RegisterInput } from "@sonde/proto/http/auth";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Field } from "../../ui/field.tsx";
import { Input, PasswordInput } from "../../ui/inputs.tsx";

export type RegisterValues = {
  username: string;
  email: string;
  password: string;
  confirmPassword: string;
  setupCode: string;
};

/** What the form sends: an empty email is left out, and so is a code that is not asked for. */
export function readRegisterInput(values: RegisterValues, codeRequired: boolean): RegisterInput {
  const email = values.email.trim();
  return {
    username: values.username.trim(),
    password: values.password,
    email: email || undefined,
    ...(codeRequired ? { setupCode: values.setupCode.trim() } : {}),
  };
}

export function RegisterFields({ form, codeRequired }: { form: UseFormReturn<RegisterValues>; codeRequired: boolean }) {
  const { t } = useTranslation();
  const { register, formState } = form;
  const { errors } = formState;
  return (
    <>
      <Field label={t("auth.username")} error={errors.username?.message} required>
        {(ids) => (
          <Input
            {...ids}
            {...register("username")}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        )}
      </Field>
      <Field label={t("common.optional", { label: t("auth.email") })} error={errors.email?.message}>
        {(ids) => <Input {...ids} {...register("email")} type="email" autoComplete="email" />}
      </Field>
      <Field
        label={t("auth.password")}
        error={errors.password?.message}
        hint={t("auth.register.passwordHint")}
        required
      >
        {(ids) => <PasswordInput {...ids} {...register("password")} autoComplete="new-password" />}
      </Field>
      <Field label={t("auth.confirmPassword")} error={errors.confirmPassword?.message} required>
        {(ids) => <PasswordInput {...ids} {...register("confirmPassword")} autoComplete="new-password" />}
      </Field>
      {codeRequired && (
        <Field
          label={t("auth.register.setupCode")}
          error={errors.setupCode?.message}
          hint={t("auth.register.setupCodeHint")}
          required
        >
          {(ids) => <Input {...ids} {...register("setupCode")} mono autoComplete="off" spellCheck={false} />}
        </Field>
      )}
    </>
  );
}
