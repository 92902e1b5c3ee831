import type { User } from "@sonde/proto/http/users";
import { lazy, Suspense, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router-dom";
import { useConfigQuery } from "../../app/config.ts";
import { errorText, messageOf, statusOf } from "../../app/errors.ts";
import { useAppDispatch } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useNotice } from "../../app/screen.tsx";
import { loggedIn } from "../../app/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input, PasswordInput } from "../../ui/inputs.tsx";
import { LoadingText } from "../../ui/states.tsx";
import { AuthCard, type LoginLocation, useLoginMutation } from "./auth-card.tsx";

/** Loaded on demand, since few users need it. */
const SecondStep = lazy(() => import("./second-step.tsx"));
const PasskeyButton = lazy(() => import("./passkey-button.tsx"));
const Providers = lazy(async () => ({ default: (await import("./providers.tsx")).Providers }));
const ProviderError = lazy(async () => ({ default: (await import("./providers.tsx")).ProviderError }));

export default function LoginScreen() {
  const { t } = useTranslation();
  const location = useLocation();
  const { from, expired = false } = (location.state as LoginLocation) ?? {};
  const notice = useNotice();
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const [login, { error, isLoading }] = useLoginMutation();
  const { data: config } = useConfigQuery();
  const failed = new URLSearchParams(location.search).get("error");
  const { passwords, providers = [] } = config?.signIn ?? {};
  const [wantsPassword, setWantsPassword] = useState(false);
  const hasForm = wantsPassword || passwords !== "off" || providers.length === 0;
  const [demand, setDemand] = useState((location.state as LoginLocation)?.demand);
  const { register, handleSubmit, formState, getValues } = useForm({ defaultValues: { username: "", password: "" } });
  const { errors } = formState;

  function open(opened: { token: string; user: User }) {
    dispatch(loggedIn(opened));
    void navigate(from ?? paths.dashboard, { replace: true });
  }

  const submit = handleSubmit(async (values) => {
    try {
      const { token, user, factor } = await login(values).unwrap();
      if (token !== undefined && user !== undefined) open({ token, user });
      else setDemand(factor);
    } catch (reason) {
      console.error("Login failed", statusOf(reason) ?? reason);
    }
  });

  if (demand !== undefined) {
    return (
      <AuthCard title={t("factors.title")} note={t("factors.for", { username: getValues("username") })}>
        <Suspense fallback={<LoadingText />}>
          <SecondStep demand={demand} onOpened={open} onBack={() => setDemand(undefined)} />
        </Suspense>
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title={t("auth.login.title")}
      note={from === undefined || notice !== undefined ? undefined : t("auth.login.goOn")}
      footer={
        <>
          {hasForm && <span className="mb-2 block text-[13px] text-faint">{t("auth.login.forgotten")}</span>}
          {(passwords === undefined || passwords === "on") && (
            <>
              {t("auth.login.noAccount")}{" "}
              <Link
                to={paths.register}
                state={{ from }}
                className="font-medium text-accent-strong underline underline-offset-2"
              >
                {t("auth.login.register")}
              </Link>
            </>
          )}
        </>
      }
    >
      {failed !== null && error === undefined && (
        <div className="mb-4">
          <Suspense>
            <ProviderError code={failed} />
          </Suspense>
        </div>
      )}
      {!hasForm && (
        <Suspense>
          <Providers providers={providers} next={from} isFirst />
          <Button variant="ghost" className="mt-2 w-full" onClick={() => setWantsPassword(true)}>
            {t("auth.provider.password")}
          </Button>
        </Suspense>
      )}
      <form noValidate hidden={!hasForm} className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {error !== undefined && <Alert kind="error">{loginErrorText(error, t("auth.login.refused"))}</Alert>}
        {error === undefined && notice === undefined && expired && <Alert kind="info">{t("auth.login.expired")}</Alert>}
        {error === undefined && notice !== undefined && <Alert kind="success">{notice}</Alert>}
        <Field label={t("auth.username")} error={errors.username?.message}>
          {(ids) => (
            <Input
              {...ids}
              {...register("username", { required: t("auth.login.usernameRequired") })}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
            />
          )}
        </Field>
        <Field label={t("auth.password")} error={errors.password?.message}>
          {(ids) => (
            <PasswordInput
              {...ids}
              {...register("password", { required: t("auth.login.passwordRequired") })}
              autoComplete="current-password"
            />
          )}
        </Field>
        <Button type="submit" variant="primary" saving={isLoading} savingLabel={t("auth.login.saving")}>
          {t("auth.login.submit")}
        </Button>
      </form>
      {hasForm && providers.length > 0 && (
        <div className="mt-4 border-t border-line pt-4">
          <Suspense>
            <Providers providers={providers} next={from} isFirst={false} />
          </Suspense>
        </div>
      )}
      {config?.passkeys === true && (
        <Suspense>
          <PasskeyButton onOpened={open} />
        </Suspense>
      )}
    </AuthCard>
  );
}

/** Falls back to an own text if the server sends none. */
function loginErrorText(error: unknown, refused: string): string {
  const isRefusal = statusOf(error) === 401 && messageOf(error) === null;
  return isRefusal ? refused : errorText(error, "loginFailed");
}
