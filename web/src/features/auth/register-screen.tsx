import { type RegisterInput, registerInput } from "@sonde/proto/http/auth";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import { useConfigQuery } from "../../app/config.ts";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { useAppDispatch } from "../../app/hooks.ts";
import { currentLanguage } from "../../app/i18n.ts";
import { paths } from "../../app/paths.ts";
import { loggedIn } from "../../app/session.ts";
import { faultsIn, type FormFault, resolveFaults } from "../../lib/form-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useLoginMutation, useRegisterMutation } from "./api.ts";
import { AuthCard } from "./auth-card.tsx";
import type { LoginLocation } from "./login-screen.tsx";
import { RegisterFields, type RegisterValues, readRegisterInput } from "./register-fields.tsx";

const empty: RegisterValues = { username: "", email: "", password: "", confirmPassword: "", setupCode: "" };

export default function RegisterScreen() {
  const { t } = useTranslation();
  const from = (useLocation().state as LoginLocation)?.from;
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const { data: config, refetch } = useConfigQuery();
  const [send, { error }] = useRegisterMutation();
  const [login] = useLoginMutation();
  const codeRequired = config?.setup.codeRequired === true;
  // The server knows an account as soon as it registered this one; the page stays the setup until it is left.
  const [isSettingUp, setSettingUp] = useState(false);
  const firstAccount = isSettingUp || config?.setup.firstAccount === true;
  const closed = config?.registration === "closed" && !firstAccount;

  const form = useForm<RegisterValues>({
    defaultValues: empty,
    resolver: resolveFaults((values) => check(values, codeRequired, t), currentLanguage),
  });

  const { isSubmitting } = form.formState;

  /** Logs the administrator in whom this setup made. Answers whether that went well; `VisitorsOnly` leads on then. */
  async function begin({ username, password }: RegisterInput): Promise<boolean> {
    const { data } = await login({ username, password });
    // While there is no account, /login leads back here: what is known of that must be fresh before going there.
    if (data === undefined) await refetch();
    else dispatch(loggedIn(data));
    return data !== undefined;
  }

  const submit = form.handleSubmit(async (values) => {
    const input = readRegisterInput(values, codeRequired);
    setSettingUp(firstAccount);
    try {
      const { message } = await send(input).unwrap();
      if (firstAccount && (await begin(input))) return;
      const state: LoginLocation = {
        notice: message ?? t("auth.register.success"),
        from,
      };
      void navigate(paths.login, { state });
    } catch (reason) {
      setSettingUp(false);
      for (const { path, message } of fieldErrorsOf(reason)) {
        if (path in empty) form.setError(path as keyof RegisterValues, { message });
      }
    }
  });

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
        <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
          {error !== undefined && <Alert kind="error">{errorText(error, "registrationFailed")}</Alert>}
          <RegisterFields form={form} codeRequired={codeRequired} />
          <Button type="submit" variant="primary" saving={isSubmitting} savingLabel={t("auth.register.saving")}>
            {t("auth.register.submit")}
          </Button>
        </form>
      )}
    </AuthCard>
  );
}

function check(values: RegisterValues, codeRequired: boolean, t: TFunction): FormFault[] {
  const faults: FormFault[] = faultsIn(registerInput, readRegisterInput(values, codeRequired));
  if (codeRequired && values.setupCode.trim() === "") {
    faults.push({ path: "setupCode", text: t("auth.register.setupCodeRequired") });
  }
  if (values.password !== values.confirmPassword) {
    faults.push({ path: "confirmPassword", text: t("auth.register.mismatch") });
  }
  return faults;
}
