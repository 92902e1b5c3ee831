import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { FormError } from "../../lib/form-errors.ts";
import { FormField } from "../../ui/form-field.tsx";
import { Input, PasswordInput } from "../../ui/inputs.tsx";

export type RegisterValues = Record<"username" | "email" | "password" | "confirmPassword" | "setupCode", string>;
export const empty: RegisterValues = { username: "", email: "", password: "", confirmPassword: "", setupCode: "" };

/** An empty email is omitted. */
export const accountOf = ({ username, email, password }: RegisterValues) => ({
  username: username.trim(),
  password,
  email: email.trim() || undefined,
});

export function mismatch({ password, confirmPassword }: RegisterValues, t: TFunction): FormError[] {
  return password === confirmPassword ? [] : [{ path: "confirmPassword", text: t("auth.register.mismatch") }];
}

/** Fields of a new account that its owner creates. */
export function RegisterFields({ codeRequired = false }: { codeRequired?: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <FormField<RegisterValues> name="username" label={t("auth.username")} required>
        {(props) => <Input {...props} autoComplete="username" autoCapitalize="none" spellCheck={false} autoFocus />}
      </FormField>
      <FormField<RegisterValues> name="email" label={t("common.optional", { label: t("auth.email") })}>
        {(props) => <Input {...props} type="email" autoComplete="email" />}
      </FormField>
      <FormField<RegisterValues>
        name="password"
        label={t("auth.password")}
        hint={t("auth.register.passwordHint")}
        required
      >
        {(props) => <PasswordInput {...props} autoComplete="new-password" />}
      </FormField>
      <FormField<RegisterValues> name="confirmPassword" label={t("auth.confirmPassword")} required>
        {(props) => <PasswordInput {...props} autoComplete="new-password" />}
      </FormField>
      {codeRequired && (
        <FormField<RegisterValues>
          name="setupCode"
          label={t("auth.register.setupCode")}
          hint={t("auth.register.setupCodeHint")}
          required
          input={{ mono: true, spellCheck: false }}
        />
      )}
    </>
  );
}
