import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { PageIcon } from "../../ui/icons.tsx";
import { NotYet } from "../../ui/not-yet.tsx";

export default function StatusConfigScreen() {
  const { t } = useTranslation();
  return (
    <NotYet title={t("nav.statusPage")} icon={<PageIcon />} text={t("notYet.statusConfig")} backTo={paths.dashboard} />
  );
}
