import type { exchangeAnswer } from "@sonde/proto/http/sign-in";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router-dom";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { useAppDispatch } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { loggedIn } from "../../app/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { LoadingText } from "../../ui/states.tsx";
import { AuthCard } from "./auth-card.tsx";

const exchangeApi = api.injectEndpoints({
  endpoints: (build) => ({
    exchange: build.mutation<AnswerOf<typeof exchangeAnswer>, { code: string }>({
      query: (body) => ({ url: "/auth/oidc/exchange", method: "POST", body }),
      extraOptions: { keepSessionOn401: true },
    }),
  }),
});
const { useExchangeMutation } = exchangeApi;

export default function CompleteScreen() {
  const { t } = useTranslation();
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const [exchange, { error }] = useExchangeMutation();
  const hasBegun = useRef(false);
  const code = address.get("code") ?? "";

  const begin = useEffectEvent(async () => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    if (code === "") return void navigate(paths.login, { replace: true });
    const { data } = await exchange({ code });
    if (data === undefined) return;
    dispatch(loggedIn({ token: data.token, user: data.user }));
    void navigate(data.next ?? paths.dashboard, { replace: true });
  });
  useEffect(() => void begin(), []);

  return (
    <AuthCard title={t("auth.provider.completing")}>
      {error === undefined ? (
        <LoadingText />
      ) : (
        <div className="flex flex-col gap-4">
          <Alert kind="error">{errorText(error, "loginFailed")}</Alert>
          <Link to={paths.login} className="font-medium text-accent-strong underline underline-offset-2">
            {t("auth.provider.again")}
          </Link>
        </div>
      )}
    </AuthCard>
  );
}
