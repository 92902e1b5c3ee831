import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { curlOf } from "../../../entities/targets/curl.ts";
import { sharedForm } from "../../../entities/kinds/shared.ts";
import { formatDuration, formatList, formatSpan } from "../../../lib/format.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Card, Entry } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Time } from "../../../ui/time.tsx";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { Entries, Summary } from "../kinds/summary.tsx";

export function Configuration({ monitor }: { monitor: Monitor }) {
  const { t, i18n } = useTranslation();
  const { type, confirm, tags, certificateIssuer, certificateExpiresAt } = monitor;
  const text = useText();
  return (
    <Card
      title={t("monitor.configuration")}
      actions={monitor.type === "http" && <CopyButton text={curlOf(monitor)} label={t("monitorDetail.copyCurl")} />}
    >
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 md:grid-cols-3 lg:grid-cols-4">
        <Entry name={t("monitorKinds.kind")}>{text(kindForms[type].name)}</Entry>
        <Summary type={type} check={monitor} />
        {monitor.type !== "heartbeat" && monitor.type !== "inbound" && monitor.type !== "group" && (
          <>
            <Entry name={t("monitor.interval")}>{formatSpan(monitor.interval * 60_000, i18n.language)}</Entry>
            <Entry name={t("monitor.timeout")}>{formatDuration(monitor.timeout * 1000, i18n.language)}</Entry>
            <Entries fields={sharedForm} check={monitor} />
            <Entry name={t("monitor.locations")}>{formatList(monitor.locations, i18n.language)}</Entry>
          </>
        )}
        {confirm !== undefined && (
          <Entry name={t("monitorForm.confirm")}>
            {t("monitorForm.confirmBy", {
              locations: formatList(confirm.locations, i18n.language),
              need: confirm.need,
            })}
          </Entry>
        )}
        <Entry name={t("monitor.tags")}>
          {tags.length === 0 ? (
            t("common.none")
          ) : (
            <span className="flex flex-wrap gap-1 pt-0.5">
              {tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </span>
          )}
        </Entry>
        <Entry name={t("monitor.created")}>
          <Time at={monitor.createdAt} />
        </Entry>
        {certificateExpiresAt !== undefined && (
          <Entry name={t(type === "domain" ? "monitor.domain" : "monitor.certificate")}>
            <Time at={certificateExpiresAt} />
          </Entry>
        )}
        {certificateIssuer !== undefined && <Entry name={t("monitor.certificateIssuer")}>{certificateIssuer}</Entry>}
      </dl>
    </Card>
  );
}
