import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { formatSpan } from "../../../../lib/format.ts";
import { Entry } from "../../../../ui/card.tsx";

/** When such a job is expected, in words. */
export function Summary({ check }: { check: CheckOf<"heartbeat"> }) {
  const { t, i18n } = useTranslation();
  const { every, cron, timeZone = "UTC", slug, keepOutput } = check;
  return (
    <>
      {cron === undefined ? (
        <Entry name={t("monitorKinds.heartbeat.every")}>{formatSpan((every ?? 0) * 60_000, i18n.language)}</Entry>
      ) : (
        <>
          <Entry name={t("monitorKinds.heartbeat.cron")}>
            <code className="font-mono text-[13px]">{cron}</code>
          </Entry>
          <Entry name={t("monitorKinds.heartbeat.timeZone")}>{timeZone}</Entry>
        </>
      )}
      {(["grace", "startGrace", "minRuntime", "maxRuntime"] as const).map((name) => {
        const seconds = check[name];
        return (
          seconds !== undefined && (
            <Entry key={name} name={t(`monitorKinds.heartbeat.${name}`)}>
              {formatSpan(seconds * 1000, i18n.language)}
            </Entry>
          )
        );
      })}
      {slug !== undefined && (
        <Entry name={t("monitorKinds.heartbeat.slug")}>
          <code className="font-mono text-[13px]">{slug}</code>
        </Entry>
      )}
      {!keepOutput && <Entry name={t("monitorKinds.heartbeat.keepOutput")}>{t("common.no")}</Entry>}
    </>
  );
}
