import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check: { host, recordType, resolver, expect } }: { check: CheckOf<"dns"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.dns.recordType")}>{recordType}</Entry>
      <Entry name={t("monitorKinds.dns.resolver")}>{resolver ?? t("monitorKinds.dns.ownResolver")}</Entry>
      <Entry name={t("monitorKinds.dns.expect")} wide>
        {expect === undefined ? (
          t("monitorKinds.dns.anyAnswer")
        ) : (
          <ul className="font-mono text-[13px]">
            {expect.map((value) => (
              <li key={value}>{value}</li>
            ))}
          </ul>
        )}
      </Entry>
    </>
  );
}
