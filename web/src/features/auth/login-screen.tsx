import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import { errorText, messageOf, statusOf } from "../../app/errors.ts";
import { useAppDispatch } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useNotice } from "../../app/screen.tsx";
import { loggedIn } from "../../app/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input, PasswordInput } from "../../ui/inputs.tsx";
import { AuthCard, type LoginLocation, useLoginMutation } from "./auth-card.tsx";

export default function LoginScreen() {
  const { t } = useTranslation();
  const location = useLocation();
  const { from, expired = false } = (location.state as LoginLocation) ?? {};
  const notice = useNotice();
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const [login, { error, isLoading }] = useLoginMutation();
  const { register, handleSubmit, formState } = useForm({ defaultValues: { username: "", password: "" } });
  const { errors } = formState;

  const submit = handleSubmit(async (values) => {
    try {
      const { token, user } = await login(values).unwrap();
      dispatch(loggedIn({ token, user }));
      void navigate(from ?? paths.dashboard, { replace: true });
    } catch (reason) {
      console.error("Login failed", statusOf(reason) ?? reason);
    }
  });

  return (
    <AuthCard
      title={t("auth.login.title")}
      note={from === undefined || notice !== undefined ? undefined : t("auth.login.goOn")}
      footer={
        <>
          <span className="mb-2 block text-[13px] text-faint">{t("auth.login.forgotten")}</span>
          {t("auth.login.noAccount")}{" "}
          <Link
            to={paths.register}
            state={{ from }}
            className="font-medium text-accent-strong underline underline-offset-2"
          >
            {t("auth.login.register")}
          </Link>
        </>
      }
    >
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
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
    </AuthCard>
  );
}

/** A refusal without words of the server's own still shows what is wrong. */
function loginErrorText(error: unknown, refused: string): string {
  const isRefusal = statusOf(error) === 401 && messageOf(error) === null;
  return isRefusal ? refused : errorText(error, "loginFailed");
}
