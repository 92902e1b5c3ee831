import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { BellIcon } from "../../ui/icons.tsx";
import { NotYet } from "../../ui/not-yet.tsx";

export default function NotificationsScreen() {
  const { t } = useTranslation();
  return (
    <NotYet
      title={t("nav.notifications")}
      icon={<BellIcon />}
      text={t("notYet.notifications")}
      backTo={paths.dashboard}
    />
  );
}
