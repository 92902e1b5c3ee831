import { useTranslation } from "react-i18next";

/** In place of a part that the server could not answer just now. */
export function Unavailable() {
  const { t } = useTranslation();
  return <p className="text-muted">{t("dashboard.unavailable")}</p>;
}
