import type { User } from "@sonde/proto/http/users";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { errorText, statusOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useLeave } from "../../app/save-form.tsx";
import { isId, isMissing, Loaded, Missing } from "../../app/screen.tsx";
import { UnsavedGuard, useUnsavedParts } from "../../app/unsaved-guard.tsx";
import { AccountForm } from "./account-form.tsx";
import { useUserQuery } from "./api.ts";
import { UserStatusBadge } from "./badges.tsx";
import { DeleteUserDialog } from "./delete-dialog.tsx";
import NotAllowedScreen from "./not-allowed-screen.tsx";
import { ResetPasswordForm } from "./reset-password-form.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ChevronLeftIcon, TrashIcon, UserIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { LoadingText } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

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
    <div className="mx-auto max-w-2xl">
      {isMissing(id, error) ? (
        <>
          {header}
          <Missing icon={<UserIcon />} title={missing} back={t("users.back")} backTo={paths.users} />
        </>
      ) : (
        <Loaded query={query} fallback="fetchData" placeholder={placeholder} header={header}>
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
          <ResetPasswordForm user={user} onUnsaved={(yes) => report("password", yes)} />
        )}
      </div>
      <DeleteUserDialog
        user={deleting ? user : null}
        onClose={() => setDeleting(false)}
        onDeleted={(notice) => leave(() => void navigate(paths.users, { state: { notice }, replace: true }))}
      />
      <UnsavedGuard unsaved={unsaved && !isLeaving} />
    </>
  );
}
