import { newPassword, type User } from "@sonde/proto/http/users";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { FormMessages, useSaveForm } from "../../app/save-form.tsx";
import { faultsIn } from "../../lib/form-faults.ts";
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
  const saveForm = useSaveForm<PasswordValues>({
    initial: empty,
    check: (values) => [...faultsIn(input, values), ...mismatch(values, t)],
    // The call has its own name for the field.
    fieldOf: (path) => (path === "newPassword" ? "password" : null),
    fallback: "changePassword",
    onUnsaved,
    onSave: async ({ password }) => {
      const { message } = await send({ id: user.id, newPassword: password }).unwrap();
      form.reset(empty);
      return `${message ?? t("users.reset.success")} · ${t("users.reset.sessionsEnded")}`;
    },
  });
  const { form, isSaving } = saveForm;

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={saveForm.submit}>
        <Card title={t("users.reset.title")}>
          <div className="flex flex-col gap-4">
            <FormMessages of={saveForm} />
            <div className="grid gap-4 md:grid-cols-2">
              <NewPasswordFields
                labels={{ password: t("users.reset.newPassword"), confirmPassword: t("users.reset.confirmPassword") }}
              />
            </div>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-[13px] text-muted">{t("users.reset.text")}</p>
              <Button type="submit" saving={isSaving} savingLabel={t("users.reset.saving")}>
                {t("users.reset.submit")}
              </Button>
            </div>
          </div>
        </Card>
      </form>
    </FormProvider>
  );
}
