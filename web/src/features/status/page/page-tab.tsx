import { useTranslation } from "react-i18next";

export default function PageTab() {
  const { t } = useTranslation();
  return <h2 className="text-[15px] font-semibold">{t("statusPage.tab.page")}</h2>;
}
