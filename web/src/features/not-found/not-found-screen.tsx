import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";

export default function NotFoundScreen() {
  const { t } = useTranslation();
  usePageTitle(t("notFound.title"));
  return (
    <div className="flex flex-col items-center gap-3 py-20 text-center">
      <p className="tnum text-6xl font-semibold tracking-tight text-accent" aria-hidden="true">
        404
      </p>
      <h1 className="text-xl font-semibold">{t("notFound.title")}</h1>
      <p className="max-w-md text-balance text-muted">{t("notFound.text")}</p>
      <ButtonLink to={paths.home} variant="primary" className="mt-3">
        {t("notFound.home")}
      </ButtonLink>
    </div>
  );
}
