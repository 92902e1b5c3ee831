import { updateUserInput, type UpdateUserInput, type User } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { type AfterSave, FormMessages, oneOfFields, useSaveForm } from "../../app/save-form.tsx";
import { faultsIn } from "../../lib/form-faults.ts";
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
  const saveForm = useSaveForm<BasicValues>({
    stored: toValues(user),
    check: (values) => faultsIn(updateUserInput, readInput(values)),
    fieldOf: oneOfFields("username", "email"),
    fallback: "updateProfile",
    onUnsaved,
    onSave: async (values): Promise<AfterSave> => {
      if (user === null) return setError(() => errorText(null, "notLoggedIn"));
      const answer = await update({ id: user.id, input: readInput(values) }).unwrap();
      form.reset(toValues(answer.user));
      return answer.message ?? t("profile.basic.success");
    },
  });
  const { form, isSaving, setError } = saveForm;
  const { errors } = form.formState;

  return (
    <form noValidate onSubmit={saveForm.submit}>
      <Card title={t("profile.basic.title")}>
        <div className="flex flex-col gap-4">
          <FormMessages of={saveForm} />
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
            <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("profile.basic.saving")}>
              {t("profile.basic.submit")}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}
