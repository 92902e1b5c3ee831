import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { RouteTabs } from "../../app/route-tabs.tsx";

export default function MaintenanceScreen() {
  const { t } = useTranslation();
  const tabs = [
    { to: paths.maintenance, label: t("maintenance.title") },
    { to: paths.silences, label: t("quiet.list") },
  ] as const;
  return <RouteTabs label={t("maintenance.title")} tabs={tabs} />;
}
