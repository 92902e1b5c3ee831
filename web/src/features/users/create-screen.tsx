import { createUserInput } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { schemaErrors } from "../../lib/form-errors.ts";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import {
  type AccountValues,
  mismatch,
  NameFields,
  NewPasswordFields,
  type PasswordValues,
  readNames,
  RoleField,
} from "./account-fields.tsx";
import { useCreateUserMutation } from "./api.ts";

type CreateValues = AccountValues & PasswordValues;
const empty: CreateValues = { username: "", email: "", role: "user", password: "", confirmPassword: "" };

const readInput = ({ password, role, ...names }: CreateValues) => ({ ...readNames(names), password, role });

export default function CreateScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateUserMutation();
  const saveForm = useSaveForm<CreateValues>({
    initial: empty,
    check: (values) => [...schemaErrors(createUserInput, readInput(values)), ...mismatch(values, t)],
    fallback: "createUser",
    onSave: async (values) => {
      const { message } = await create(readInput(values)).unwrap();
      const state = { notice: message ?? t("users.create.success") };
      return () => void navigate(paths.users, { state, replace: true });
    },
  });
  return (
    <div className="max-w-2xl">
      <PageHeader title={t("users.create.title")} description={t("users.create.note")} />
      <SaveForm of={saveForm} draft="user">
        <Card>
          <div className="grid gap-4 md:grid-cols-2">
            <NameFields autoFocus />
            <NewPasswordFields labels={{ password: t("auth.password"), confirmPassword: t("auth.confirmPassword") }} />
            <RoleField />
          </div>
        </Card>
        <FormButtons
          of={saveForm}
          submit={t("users.create.submit")}
          saving={t("users.create.saving")}
          onCancel={() => void navigate(paths.users)}
        />
        <UnsavedGuard unsaved={saveForm.unsaved} />
      </SaveForm>
    </div>
  );
}
