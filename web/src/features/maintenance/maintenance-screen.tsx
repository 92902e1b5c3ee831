import { useTranslation } from "react-i18next";
import { Outlet, useLocation, useNavigate } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const tabs = ["maintenance", "silences"] as const;

export default function MaintenanceScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const shown = tabs.find((tab) => paths[tab] === pathname.replace(/\/$/, "")) ?? "maintenance";
  return (
    <>
      <PageHeader title={t(shown === "silences" ? "quiet.list" : "maintenance.title")} />
      <Tabs
        label={t("maintenance.title")}
        // If unsaved changes block a tab, returning the focus to it must not select it again.
        byEnter
        value={shown}
        onChange={(tab: (typeof tabs)[number]) => void navigate(paths[tab])}
        tabs={tabs.map((value) => ({
          value,
          label: t(value === "silences" ? "quiet.list" : "maintenance.title"),
          content: value === shown && <Outlet />,
        }))}
      />
    </>
  );
}
