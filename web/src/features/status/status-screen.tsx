import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";
import { EmptyState } from "../../ui/states.tsx";

/** The public page has no navigation. */
export default function StatusScreen() {
  const { t } = useTranslation();
  usePageTitle(t("nav.statusPage"));
  return (
    <main className="container-page flex min-h-dvh flex-col items-center justify-center py-16">
      <Logo className="text-xl" />
      <h1 className="sr-only">{t("nav.statusPage")}</h1>
      <EmptyState title={t("notYet.statusPage")} action={<ButtonLink to={paths.home}>{t("notFound.home")}</ButtonLink>}>
        {t("notYet.text")}
      </EmptyState>
    </main>
  );
}
