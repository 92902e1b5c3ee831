import type { loginAnswer } from "@sonde/proto/http/auth";
import { type AcceptInviteInput, acceptInviteInput, type checkInviteAnswer } from "@sonde/proto/http/invites";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "react-redux";
import { useLocation, useNavigate } from "react-router-dom";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { type AfterSave, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { useAppDispatch, useSession } from "../../app/hooks.ts";
import { currentLanguage } from "../../app/i18n.ts";
import { logout } from "../../app/me.ts";
import { paths } from "../../app/paths.ts";
import { loggedIn } from "../../app/session.ts";
import { writeStored } from "../../app/storage.ts";
import type { RootState } from "../../app/store.ts";
import { schemaErrors } from "../../lib/form-errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { LoadingText } from "../../ui/states.tsx";
import { AuthCard, type LoginLocation } from "./auth-card.tsx";
import { accountOf, empty, mismatch, RegisterFields, type RegisterValues } from "./register-fields.tsx";

const { useCheckInviteQuery, useAcceptInviteMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    checkInvite: build.query<AnswerOf<typeof checkInviteAnswer>, string>({
      query: (token) => ({ url: "/auth/invites/check", method: "POST", body: { token } }),
    }),
    acceptInvite: build.mutation<AnswerOf<typeof loginAnswer>, AcceptInviteInput>({
      query: (body) => ({ url: "/auth/invites/accept", method: "POST", body }),
    }),
  }),
});

/** The page of an invite's link. The token is in the fragment, which browsers do not send to servers. */
export default function InviteScreen() {
  const { t } = useTranslation();
  const token = useLocation().hash.slice(1);
  const store = useStore<RootState>();
  const { status, user } = useSession();
  // Accepting logs in, which must not look like an earlier session.
  const [isAccepted, setAccepted] = useState(false);
  const isLoggedIn = status === "authenticated" && !isAccepted;
  const isSkipped = token === "" || isLoggedIn;
  const { data, error } = useCheckInviteQuery(token, { skip: isSkipped });
  if (status === "restoring" || (!isSkipped && data === undefined && error === undefined)) return <LoadingText />;
  if (data !== undefined && !isLoggedIn) {
    return (
      <AuthCard title={t("auth.invite.title")} note={t("auth.invite.role", { role: t(`users.roles.${data.role}`) })}>
        <AcceptForm token={token} email={data.email ?? ""} onAccepted={() => setAccepted(true)} />
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t("auth.invite.title")}>
      <div className="flex flex-col gap-4">
        {isLoggedIn ? (
          <>
            <Alert kind="info">{t("auth.invite.loggedIn", { username: user.username })}</Alert>
            <Button onClick={() => logout(store)}>{t("nav.logout")}</Button>
          </>
        ) : (
          <>
            <Alert kind="error">{token === "" ? t("auth.invite.noToken") : errorText(error, "fetchData")}</Alert>
            <p className="text-muted">{t("auth.invite.askAgain")}</p>
            <ButtonLink to={paths.login}>{t("auth.register.login")}</ButtonLink>
          </>
        )}
      </div>
    </AuthCard>
  );
}

function AcceptForm({ token, email, onAccepted }: { token: string; email: string; onAccepted: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const [accept] = useAcceptInviteMutation();
  const inputOf = (values: RegisterValues): AcceptInviteInput => ({ token, ...accountOf(values) });
  const saveForm = useSaveForm<RegisterValues>({
    initial: { ...empty, email },
    check: (values) => [...schemaErrors(acceptInviteInput, inputOf(values)), ...mismatch(values, t)],
    fieldOf: (path) => (path in empty ? path : null),
    fallback: "registrationFailed",
    onSave: async (values): Promise<AfterSave> => {
      const { token: session, user, factor } = await accept(inputOf(values)).unwrap();
      onAccepted();
      // The language of the link lasts only until the page is reloaded.
      writeStored("language", currentLanguage());
      if (session !== undefined && user !== undefined) dispatch(loggedIn({ token: session, user }));
      // /login redirects a logged-in user to the dashboard.
      void navigate(paths.login, { state: { demand: factor } as LoginLocation, replace: true });
    },
  });
  return (
    <SaveForm of={saveForm}>
      <RegisterFields />
      <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("auth.register.saving")}>
        {t("auth.invite.submit")}
      </Button>
    </SaveForm>
  );
}
