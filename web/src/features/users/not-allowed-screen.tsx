import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router-dom";
import { useAppDispatch, useSession } from "../../app/hooks.ts";
import { meApi } from "../../app/me.ts";
import { paths } from "../../app/paths.ts";
import { userFetched } from "../../app/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LockIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState } from "../../ui/states.tsx";

/** Shown to non-administrators on the pages of accounts and the audit log, and to viewers on forms. */
export default function NotAllowedScreen() {
  const { t } = useTranslation();
  const { user } = useSession();
  const { pathname } = useLocation();
  useFreshRole();
  const isOfAudit = pathname.startsWith(paths.audit);
  const isForAdmins = isOfAudit || pathname.startsWith(paths.users) || pathname === paths.signIn;
  const text = isOfAudit ? "auditText" : isForAdmins ? "text" : "viewerText";
  const who = { name: user?.username ?? "", role: user === null ? "" : t(`users.roles.${user.role}`) };
  return (
    <>
      <PageHeader title={t("users.notAllowed.title")} />
      <Card>
        <EmptyState
          icon={<LockIcon />}
          title={t(`users.notAllowed.${text}`, who)}
          action={
            isForAdmins ? (
              <ButtonLink to={paths.dashboard}>{t("users.notAllowed.back")}</ButtonLink>
            ) : (
              <ButtonLink to={readAt(pathname)}>{t("users.notAllowed.read")}</ButtonLink>
            )
          }
        >
          {t("users.notAllowed.hint")}
        </EmptyState>
      </Card>
    </>
  );
}

/** Returns the read-only page for a form's path: that of the monitor or agent, or the list. */
function readAt(pathname: string): string {
  const [, section = "", verb, id = ""] = pathname.split("/");
  return verb === "edit" && /^\d+$/.test(id) ? `/${section}/${id}` : `/${section}`;
}

/** Refetches the role, which this browser knows from the login, so that a promoted user gets access. */
function useFreshRole() {
  const dispatch = useAppDispatch();
  useEffect(() => {
    const request = dispatch(meApi.endpoints.me.initiate(undefined, { forceRefetch: true, subscribe: false }));
    request.then(
      ({ data }) => data !== undefined && dispatch(userFetched(data.user)),
      () => undefined,
    );
  }, [dispatch]);
}
