import type { Assertion } from "@sonde/proto/http/assertions";
import type { Monitor } from "@sonde/proto/http/monitors";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration, formatSpan } from "../../lib/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Time } from "../../ui/time.tsx";

/** How the monitor is checked: everything that the form holds. */
export function Configuration({ monitor }: { monitor: Monitor }) {
  const { t, i18n } = useTranslation();
  const yesNo = (value: boolean) => (value ? t("common.yes") : t("common.no"));
  return (
    <Card title={t("monitor.configuration")}>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 md:grid-cols-3 lg:grid-cols-4">
        <Entry name={t("monitor.method")}>{monitor.method}</Entry>
        <Entry name={t("monitor.interval")}>{formatSpan(monitor.interval * 60_000, i18n.language)}</Entry>
        <Entry name={t("monitor.timeout")}>{formatDuration(monitor.timeout * 1000, i18n.language)}</Entry>
        <Entry name={t("monitor.expectedStatus")}>{String(monitor.expectedStatus)}</Entry>
        <Entry name={t("monitor.created")}>
          <Time at={monitor.createdAt} />
        </Entry>
        <Entry name={t("monitor.retries")}>{monitor.retries}</Entry>
        <Entry name={t("monitor.followRedirects")}>{yesNo(monitor.followRedirects)}</Entry>
        <Entry name={t("monitor.verifyTls")}>{yesNo(monitor.verifyTls)}</Entry>
        <Entry name={t("monitor.locations")}>{monitor.locations.join(", ")}</Entry>
        <Entry name={t("monitor.tags")}>
          {monitor.tags.length === 0 ? (
            t("common.none")
          ) : (
            <span className="flex flex-wrap gap-1 pt-0.5">
              {monitor.tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </span>
          )}
        </Entry>
        {monitor.certificateExpiresAt !== undefined && (
          <Entry name={t("monitor.certificate")}>
            <Time at={monitor.certificateExpiresAt} />
          </Entry>
        )}
        <Entry name={t("monitor.assertions")} wide>
          {monitor.assertions.length === 0 ? (
            t("common.none")
          ) : (
            <ul>
              {monitor.assertions.map((assertion, index) => (
                <AssertionLine key={index} assertion={assertion} />
              ))}
            </ul>
          )}
        </Entry>
        <Entry name={t("monitor.headers")} wide>
          {monitor.headers.length === 0 ? (
            t("monitor.noHeaders")
          ) : (
            <ul className="font-mono text-[13px]">
              {monitor.headers.map(({ name, value }, index) => (
                <li key={index}>
                  <span className="text-muted">{name}:</span> {value}
                </li>
              ))}
            </ul>
          )}
        </Entry>
        <Entry name={t("monitor.body")} wide>
          {monitor.body === undefined || monitor.body === "" ? (
            t("monitor.noBody")
          ) : (
            <pre
              tabIndex={0}
              className="max-h-64 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] whitespace-pre-wrap"
            >
              {monitor.body}
            </pre>
          )}
        </Entry>
      </dl>
    </Card>
  );
}

function Entry({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "col-span-full min-w-0" : "min-w-0"}>
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="tnum">{children}</dd>
    </div>
  );
}

function AssertionLine({ assertion: { source, property, op, value } }: { assertion: Assertion }) {
  const { t } = useTranslation();
  return (
    <li>
      {t(`monitorForm.sources.${source}`)}
      {property !== undefined && property !== "" && <code className="ml-1 font-mono text-[13px]">{property}</code>}{" "}
      <span className="text-muted">{t(`monitorForm.ops.${op}`)}</span>
      {value !== undefined && op !== "exists" && <code className="ml-1 font-mono text-[13px]">{value}</code>}
    </li>
  );
}
