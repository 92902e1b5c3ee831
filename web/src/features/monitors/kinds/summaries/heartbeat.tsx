import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";

/** When such a monitor is called, in words. */
export function Summary({ check: { every, cron, timeZone, grace } }: { check: CheckOf<"heartbeat"> }) {
  const { t } = useTranslation();
  return (
    <>
      {every !== undefined && <Entry name={t("monitorKinds.heartbeat.every")}>{every}</Entry>}
      {cron !== undefined && <Entry name={t("monitorKinds.heartbeat.cron")}>{`${cron} ${timeZone ?? "UTC"}`}</Entry>}
      <Entry name={t("monitorKinds.heartbeat.grace")}>{grace}</Entry>
    </>
  );
}
