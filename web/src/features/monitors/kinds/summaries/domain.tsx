import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check: { domain, minDaysLeft } }: { check: CheckOf<"domain"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.domain.domain")}>{domain}</Entry>
      <Entry name={t("monitorKinds.domain.minDaysLeft")}>{minDaysLeft}</Entry>
    </>
  );
}
