import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check: { host, count, maxLoss, maxRtt } }: { check: CheckOf<"icmp"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.icmp.count")}>{count}</Entry>
      <Entry name={t("monitorKinds.icmp.maxLoss")}>{maxLoss}</Entry>
      <Entry name={t("monitorKinds.icmp.maxRtt")}>{maxRtt ?? t("common.none")}</Entry>
    </>
  );
}
