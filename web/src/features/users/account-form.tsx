import type { User } from "@sonde/proto/http/users";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormMessages, oneOfFields, useSaveForm } from "../../app/save-form.tsx";
import { NameFields, RoleField } from "./account-fields.tsx";
import { useUpdateUserMutation } from "./api.ts";
import { checkUpdate, type EditValues, readUpdate, toValues } from "./form-values.ts";
import { userStatuses } from "./list.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/inputs.tsx";

type AccountFormProps = { user: User; isSelf: boolean; onUnsaved: (unsaved: boolean) => void };

/** Name, address, role and status of a user; one's own role and status are for another administrator. */
export function AccountForm({ user, isSelf, onUnsaved }: AccountFormProps) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  const saveForm = useSaveForm<EditValues>({
    stored: toValues(user),
    check: (values) => checkUpdate(values, isSelf),
    fieldOf: oneOfFields("username", "email", "role", "status"),
    fallback: "updateUser",
    onUnsaved,
    onSave: async (values) => {
      const answer = await update({ id: user.id, input: readUpdate(values, isSelf) }).unwrap();
      form.reset(toValues(answer.user));
      return answer.message ?? t("users.edit.success");
    },
  });
  const { form, isSaving } = saveForm;
  const { errors } = form.formState;

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={saveForm.submit}>
        <Card title={t("users.edit.account")}>
          <div className="flex flex-col gap-4">
            <FormMessages of={saveForm} />
            <div className="grid gap-4 md:grid-cols-2">
              <NameFields />
              <RoleField {...(isSelf ? { locked: user.role } : {})} />
              <Field label={t("users.status")} error={errors.status?.message}>
                {(ids) => (
                  <Select
                    {...ids}
                    {...(isSelf ? { disabled: true, defaultValue: user.status } : form.register("status"))}
                    className="w-full"
                  >
                    {userStatuses.map((status) => (
                      <option key={status} value={status}>
                        {t(`users.statuses.${status}`)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            </div>
            <div className="flex justify-end">
              <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("users.edit.saving")}>
                {t("users.edit.submit")}
              </Button>
            </div>
          </div>
        </Card>
      </form>
    </FormProvider>
  );
}
