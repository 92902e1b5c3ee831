import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check: { host, port, servername, minDaysLeft, starttls } }: { check: CheckOf<"tls"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.port")}>{port}</Entry>
      <Entry name={t("monitorKinds.tls.servername")}>{servername ?? host}</Entry>
      <Entry name={t("monitorKinds.minDaysLeft")}>{minDaysLeft}</Entry>
      <Entry name={t("monitorKinds.tls.starttls")}>
        {starttls === undefined ? t("monitorKinds.tls.atOnce") : t(`monitorKinds.tls.protocols.${starttls}`)}
      </Entry>
    </>
  );
}
