import { type RegisterInput, registerInput } from "@sonde/proto/http/auth";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router-dom";
import { useConfigQuery } from "../../app/config.ts";
import { useAppDispatch } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { type AfterSave, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { loggedIn } from "../../app/session.ts";
import { schemaErrors, type FormError } from "../../lib/form-errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { AuthCard, type LoginLocation, useLoginMutation, useRegisterMutation } from "./auth-card.tsx";
import { accountOf, empty, mismatch, RegisterFields, type RegisterValues } from "./register-fields.tsx";

export default function RegisterScreen() {
  const { t } = useTranslation();
  const from = (useLocation().state as LoginLocation)?.from;
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const { data: config, refetch } = useConfigQuery();
  const [send] = useRegisterMutation();
  const [login] = useLoginMutation();
  const codeRequired = config?.setup.codeRequired === true;
  // Registering the first account changes the server's answer. The page stays the setup until it is left.
  const [isSettingUp, setSettingUp] = useState(false);
  const firstAccount = isSettingUp || config?.setup.firstAccount === true;
  const closed = config?.registration === "closed" && !firstAccount;

  const saveForm = useSaveForm<RegisterValues>({
    initial: empty,
    check: (values) => check(values, codeRequired, t),
    fieldOf: (path) => (path in empty ? path : null),
    fallback: "registrationFailed",
    onSave: async (values): Promise<AfterSave> => {
      const input = readInput(values, codeRequired);
      const { message } = await send(input).unwrap();
      setSettingUp(firstAccount);
      if (firstAccount && (await begin(input))) return;
      const state: LoginLocation = { notice: message ?? t("auth.register.success"), from };
      return () => void navigate(paths.login, { state });
    },
  });

  /** Logs in the administrator created by the setup. Returns true on success; `VisitorsOnly` then redirects. */
  async function begin({ username, password }: RegisterInput): Promise<boolean> {
    const { data } = await login({ username, password });
    // /login redirects back here while there is no account, so the configuration is refetched first.
    if (data?.token !== undefined && data.user !== undefined) {
      dispatch(loggedIn({ token: data.token, user: data.user }));
      return true;
    }
    await refetch();
    if (data?.factor === undefined) return false;
    void navigate(paths.login, { state: { demand: data.factor, from } satisfies LoginLocation });
    return true;
  }

  return (
    <AuthCard
      title={firstAccount ? t("auth.register.firstTitle") : t("auth.register.title")}
      note={
        firstAccount
          ? t("auth.register.first")
          : config?.registration === "approval"
            ? t("auth.register.approval")
            : undefined
      }
      footer={
        firstAccount ? undefined : (
          <>
            {t("auth.register.haveAccount")}{" "}
            <Link
              to={paths.login}
              state={{ from }}
              className="font-medium text-accent-strong underline underline-offset-2"
            >
              {t("auth.register.login")}
            </Link>
          </>
        )
      }
    >
      {closed ? (
        <Alert kind="info">{t("auth.register.closed")}</Alert>
      ) : (
        <SaveForm of={saveForm}>
          <RegisterFields codeRequired={codeRequired} />
          <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("auth.register.saving")}>
            {t("auth.register.submit")}
          </Button>
        </SaveForm>
      )}
    </AuthCard>
  );
}

/** Omits the setup code if none is required. */
const readInput = (values: RegisterValues, codeRequired: boolean): RegisterInput => ({
  ...accountOf(values),
  ...(codeRequired && { setupCode: values.setupCode.trim() }),
});

function check(values: RegisterValues, codeRequired: boolean, t: TFunction): FormError[] {
  const errors: FormError[] = schemaErrors(registerInput, readInput(values, codeRequired));
  if (codeRequired && values.setupCode.trim() === "") {
    errors.push({ path: "setupCode", text: t("auth.register.setupCodeRequired") });
  }
  return [...errors, ...mismatch(values, t)];
}
