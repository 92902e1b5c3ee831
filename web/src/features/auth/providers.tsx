import { basePath } from "../../lib/base-path.ts";
import type { SignInError, SignInState } from "@sonde/proto/http/sign-in";
import { useTranslation } from "react-i18next";
import { Alert } from "../../ui/alert.tsx";
import { buttonClass } from "../../ui/button.tsx";

/** Error codes with a text. Any other value in the URL is ignored. */
const known: Record<SignInError, true> = {
  denied: true,
  expired: true,
  "provider-away": true,
  "provider-refused": true,
  "not-valid": true,
  "no-role": true,
  pending: true,
  disabled: true,
  "no-account": true,
  "too-many": true,
  failed: true,
};

export function ProviderError({ code }: { code: string }) {
  const { t } = useTranslation();
  const error = Object.hasOwn(known, code) ? (code as SignInError) : "failed";
  return <Alert kind="error">{t(`auth.provider.error.${error}`)}</Alert>;
}

type ProvidersProps = { providers: SignInState["providers"]; next: string | undefined; isFirst: boolean };

export function Providers({ providers, next, isFirst }: ProvidersProps) {
  const { t } = useTranslation();
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`;
  return (
    <div className="flex flex-col gap-2">
      {providers.map(({ slug, name }, at) => (
        <a
          key={slug}
          href={`${basePath}/api/auth/oidc/${slug}/start${query}`}
          className={`${buttonClass(isFirst && at === 0 ? "primary" : "secondary")} min-w-0 max-sm:h-11`}
        >
          <span className="truncate">{t("auth.provider.continue", { name })}</span>
        </a>
      ))}
    </div>
  );
}
