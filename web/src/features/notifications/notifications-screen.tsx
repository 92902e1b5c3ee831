import { useTranslation } from "react-i18next";
import { Outlet, useLocation, useNavigate } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const addresses = {
  channels: paths.notifications,
  settings: paths.notificationSettings,
  templates: paths.notificationTemplates,
  deliveries: paths.deliveries,
  noise: paths.noise,
} as const;
type Tab = keyof typeof addresses;
const tabs = Object.keys(addresses) as Tab[];

export default function NotificationsScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const shown = tabs.find((tab) => addresses[tab] === pathname.replace(/\/$/, "")) ?? "channels";
  return (
    <>
      <PageHeader title={t("nav.notifications")} />
      <Tabs
        label={t("notifications.tabs")}
        // If unsaved changes block a tab, returning the focus to it must not select it again.
        byEnter
        value={shown}
        onChange={(tab: Tab) => void navigate(addresses[tab])}
        tabs={tabs.map((value) => ({
          value,
          label: t(`notifications.${value}`),
          content: value === shown && <Outlet />,
        }))}
      />
    </>
  );
}
