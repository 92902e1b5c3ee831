import { newPassword, updateUserInput, type User } from "@sonde/proto/http/users";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router-dom";
import * as z from "zod";
import { ChangesSection } from "../../entities/audit/changes.tsx";
import { errorText, statusOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { FormButtons, SaveForm, useLeave, useSaveForm } from "../../app/forms/save-form.tsx";
import { isId, isMissing, Loaded, Missing } from "../../app/screen.tsx";
import { UnsavedGuard, useUnsavedParts } from "../../app/forms/unsaved-guard.tsx";
import { schemaErrors } from "../../lib/form-errors.ts";
import { DeleteDialog } from "../../lists/delete-dialog.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ChevronLeftIcon, TrashIcon, UserIcon } from "../../ui/icons.tsx";
import { Checkbox } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { LoadingText } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import {
  type EditValues,
  mismatch,
  NameFields,
  NewPasswordFields,
  type PasswordValues,
  readNames,
  RoleField,
  StatusField,
} from "./account-fields.tsx";
import { useChangePasswordMutation, useDeleteUserMutation, useUpdateUserMutation, useUserQuery } from "./api.ts";
import { ResetFactorsCard } from "./factors/reset-card.tsx";
import { UserStatusBadge } from "./columns.tsx";
import NotAllowedScreen from "./not-allowed-screen.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const query = useUserQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const { error } = query;
  if (statusOf(error) === 403) return <NotAllowedScreen />;
  const header = <PageHeader title={t("users.edit.title")} />;
  const placeholder = (
    <>
      {header}
      <LoadingText />
    </>
  );
  const missing = error === undefined ? t("users.edit.missing") : errorText(error, "unknown");
  return (
    <div className="max-w-2xl">
      {isMissing(id, error) ? (
        <>
          {header}
          <Missing icon={<UserIcon />} title={missing} back={t("users.back")} backTo={paths.users} />
        </>
      ) : (
        <Loaded query={query} placeholder={placeholder} header={header}>
          {({ user }) => <Editing key={id} user={user} />}
        </Loaded>
      )}
    </div>
  );
}

function Editing({ user }: { user: User }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isSelf = useSession().user?.id === user.id;
  const { unsaved, report } = useUnsavedParts<"account" | "password">();
  const [deleting, setDeleting] = useState(false);
  const [remove] = useDeleteUserMutation();
  const { isLeaving, leave } = useLeave();
  return (
    <>
      <PageHeader
        title={t("users.edit.title")}
        badge={<UserStatusBadge status={user.status} />}
        description={
          <span className="flex flex-wrap items-center gap-x-4">
            <Link to={paths.users} className="inline-flex min-h-6 items-center gap-1 hover:text-ink hover:underline">
              <ChevronLeftIcon className="size-3.5" />
              {t("users.back")}
            </Link>
            <span className="tnum text-faint">
              #{user.id} · {t("users.edit.created")} <Time at={user.createdAt} relative />
            </span>
          </span>
        }
        actions={
          <Button
            disabled={isSelf}
            title={isSelf ? t("users.notYourself") : undefined}
            onClick={() => setDeleting(true)}
          >
            <TrashIcon />
            {t("common.delete")}
          </Button>
        }
      />
      <div className="flex flex-col gap-4">
        <AccountForm user={user} isSelf={isSelf} onUnsaved={(yes) => report("account", yes)} />
        {isSelf ? (
          <Card title={t("users.reset.title")}>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-muted">{t("users.reset.own")}</p>
              <ButtonLink to={paths.profile}>{t("users.reset.toProfile")}</ButtonLink>
            </div>
          </Card>
        ) : (
          <>
            <ResetPasswordForm user={user} onUnsaved={(yes) => report("password", yes)} />
            <ResetFactorsCard user={user} />
          </>
        )}
        <ChangesSection target={`user:${user.id}`} />
      </div>
      <DeleteDialog
        target={deleting ? { id: user.id, name: user.username } : null}
        onClose={() => setDeleting(false)}
        onDeleted={(notice) => leave(() => void navigate(paths.users, { state: { notice }, replace: true }))}
        noun="users"
        fallback="deleteUser"
        remove={remove}
      />
      <UnsavedGuard unsaved={unsaved && !isLeaving} />
    </>
  );
}

const toValues = ({ username, email = "", emailVerified = true, role, status }: User): EditValues => ({
  username,
  email,
  emailVerified,
  role,
  status,
});

type FormProps = { user: User; onUnsaved: (unsaved: boolean) => void };

function AccountForm({ user, isSelf, onUnsaved }: FormProps & { isSelf: boolean }) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  const { email, emailVerified = true } = user;
  const readInput = ({ role, status, emailVerified: isConfirmed, ...names }: EditValues) => ({
    ...readNames(names),
    ...(!emailVerified && isConfirmed && { emailVerified: true }),
    ...(isSelf ? {} : { role, status }),
  });
  const saveForm = useSaveForm<EditValues>({
    stored: toValues(user),
    check: (values) => schemaErrors(updateUserInput, readInput(values)),
    fallback: "updateUser",
    onUnsaved,
    onSave: async (values) => {
      const answer = await update({ id: user.id, input: readInput(values) }).unwrap();
      saveForm.form.reset(toValues(answer.user));
      return answer.message ?? t("users.edit.success");
    },
  });
  return (
    <Card title={t("users.edit.account")}>
      <SaveForm of={saveForm}>
        <div className="grid gap-4 md:grid-cols-2">
          <NameFields />
          <RoleField locked={isSelf ? user.role : undefined} />
          <StatusField locked={isSelf ? user.status : undefined} />
        </div>
        {!emailVerified && saveForm.form.watch("email").trim() === email && (
          <Checkbox {...saveForm.form.register("emailVerified")} label={t("users.edit.emailVerified")} />
        )}
        <FormButtons of={saveForm} />
      </SaveForm>
    </Card>
  );
}

const passwordInput = z.object({ password: newPassword });
const noPassword: PasswordValues = { password: "", confirmPassword: "" };

function ResetPasswordForm({ user, onUnsaved }: FormProps) {
  const { t } = useTranslation();
  const [send] = useChangePasswordMutation();
  const saveForm = useSaveForm<PasswordValues>({
    initial: noPassword,
    check: (values) => [...schemaErrors(passwordInput, values), ...mismatch(values, t)],
    // The API uses another name for the field.
    fieldOf: (path) => (path === "newPassword" ? "password" : null),
    fallback: "changePassword",
    onUnsaved,
    onSave: async ({ password }) => {
      const { message } = await send({ id: user.id, input: { newPassword: password } }).unwrap();
      saveForm.form.reset(noPassword);
      return `${message ?? t("users.reset.success")} · ${t("users.reset.sessionsEnded")}`;
    },
  });
  return (
    <Card title={t("users.reset.title")}>
      <SaveForm of={saveForm}>
        <div className="grid gap-4 md:grid-cols-2">
          <NewPasswordFields
            labels={{ password: t("users.reset.newPassword"), confirmPassword: t("users.reset.confirmPassword") }}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-[13px] text-muted">{t("users.reset.text")}</p>
          <Button type="submit" saving={saveForm.isSaving} savingLabel={t("users.reset.saving")}>
            {t("users.reset.submit")}
          </Button>
        </div>
      </SaveForm>
    </Card>
  );
}
