import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { RouteTabs } from "../../app/route-tabs.tsx";

/** Service levels and reports. */
export default function LevelsScreen() {
  const { t } = useTranslation();
  const tabs = [
    { to: paths.slos, label: t("nav.slos") },
    { to: paths.reports, label: t("nav.reports") },
  ] as const;
  return <RouteTabs label={t("nav.slos")} tabs={tabs} />;
}
