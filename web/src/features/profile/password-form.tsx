import { newPassword } from "@sonde/proto/http/users";
import type { TFunction } from "i18next";
import type { FieldPath } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { errorText } from "../../app/errors.ts";
import { type AfterSave, FormMessages, oneOfFields, useSaveForm } from "../../app/save-form.tsx";
import { useChangeOwnPasswordMutation } from "./api.ts";
import type { ProfileFormProps } from "./basic-info-form.tsx";
import { faultsIn, type FormFault } from "../../lib/form-faults.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { PasswordInput } from "../../ui/inputs.tsx";

/** Changes one's own password; every other session ends. */
export function PasswordForm({ user, onUnsaved }: ProfileFormProps) {
  const { t } = useTranslation();
  const [change] = useChangeOwnPasswordMutation();
  const saveForm = useSaveForm<OwnPasswordValues>({
    initial: emptyPasswords,
    check: (values) => checkPasswords(values, t),
    fieldOf: oneOfFields("currentPassword", "newPassword"),
    fallback: "changePassword",
    onUnsaved,
    onSave: async ({ currentPassword, newPassword }): Promise<AfterSave> => {
      if (user === null) return setError(() => errorText(null, "notLoggedIn"));
      const { message } = await change({ id: user.id, input: { currentPassword, newPassword } }).unwrap();
      form.reset(emptyPasswords);
      return `${message ?? t("profile.password.success")} · ${t("profile.password.sessionsEnded")}`;
    },
  });
  const { form, isSaving, setError } = saveForm;
  const { errors } = form.formState;

  const field = (name: FieldPath<OwnPasswordValues>, label: string, autoComplete: string, hint?: string) => (
    <Field label={label} error={errors[name]?.message} required hint={hint}>
      {(ids) => <PasswordInput {...ids} {...form.register(name)} aria-required autoComplete={autoComplete} />}
    </Field>
  );
  return (
    <form noValidate onSubmit={saveForm.submit}>
      <Card title={t("profile.password.title")}>
        <div className="flex flex-col gap-4">
          <FormMessages of={saveForm} />
          {/* For password managers: whose password it is. */}
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
            <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("profile.password.saving")}>
              {t("profile.password.submit")}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}

export type OwnPasswordValues = { currentPassword: string; newPassword: string; confirmPassword: string };

export const emptyPasswords: OwnPasswordValues = { currentPassword: "", newPassword: "", confirmPassword: "" };

const input = z.object({ newPassword });

/** All three are required, the new one follows the contract, and the last repeats it. */
export function checkPasswords(values: OwnPasswordValues, t: TFunction): FormFault[] {
  const required = [
    ["currentPassword", t("profile.password.currentRequired")],
    ["newPassword", t("profile.password.newRequired")],
    ["confirmPassword", t("profile.password.confirmRequired")],
  ] as const;
  const faults: FormFault[] = required.filter(([path]) => values[path] === "").map(([path, text]) => ({ path, text }));
  faults.push(...faultsIn(input, values));
  if (values.newPassword !== values.confirmPassword) {
    faults.push({ path: "confirmPassword", text: t("profile.password.mismatch") });
  }
  return faults;
}
