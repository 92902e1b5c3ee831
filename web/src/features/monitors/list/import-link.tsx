import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { ButtonLink } from "../../../ui/button.tsx";

/** Leads to where many monitors come at once; nothing for those who may change nothing. */
export function ImportLink() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return mayChange ? <ButtonLink to={paths.monitorImport}>{t("monitors.import")}</ButtonLink> : null;
}
