import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { AcknowledgeButton } from "../../../entities/incidents/acknowledge-button.tsx";
import { curlOf } from "../../../entities/targets/curl.ts";
import { SnoozeMenu } from "../../../entities/incidents/snooze-menu.tsx";
import { paths } from "../../../app/paths.ts";
import { IncidentBadge, StatusBadge } from "../../../ui/badge.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { IncidentNotes, Lasted } from "../../../ui/health/incident-list.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { Markdown } from "../../../ui/markdown/markdown.tsx";
import { Time } from "../../../ui/time.tsx";
import { isCauseOfDown, useMonitorIncidentsQuery } from "../api.ts";

export function DownPanel({ monitor }: { monitor: Monitor }) {
  const { id, status, statusSince, lastError, note, recovery } = monitor;
  const { t } = useTranslation();
  const isDown = status === "down";
  const { data } = useMonitorIncidentsQuery(id, { skip: !isDown });
  if (!isDown) return null;
  const incident = data?.incidents.find(isCauseOfDown);
  return (
    <section
      aria-label={t("monitor.downPanel")}
      className="flex flex-col gap-3 rounded-lg border border-down/55 bg-down-soft px-4 py-3.5 md:px-5"
    >
      <p className="text-[16px] font-semibold text-down-ink">
        <Reason text={lastError ?? incident?.cause ?? t("errors.checkFailed")} />
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {/* On a phone, the same badge is directly above. */}
        <span className="max-sm:hidden">
          <StatusBadge state="down" wording="detail" />
        </span>
        <p className="text-[13px] text-muted">
          {t("monitor.downSince")} <Time at={statusSince} short />
          {/* On its own line on a phone, since its width changes each second. */}
          <span className="max-sm:block">
            <span className="max-sm:hidden"> · </span>
            <Lasted from={statusSince} to={undefined} />
            {recovery !== undefined && ` · ${t("incidents.goodChecks", recovery)}`}
          </span>
        </p>
        {/* Reserves its space if the monitor goes down while the page is open. */}
        <span className="flex min-h-9 flex-wrap items-center gap-2 sm:ml-auto">
          {incident !== undefined && (
            <>
              <Link
                to={paths.incident(incident.id)}
                className="inline-flex min-h-8 items-center gap-1.5 font-medium hover:underline"
              >
                <IncidentBadge incident={incident} />
                {t("monitor.viewIncident")}
              </Link>
              <IncidentNotes incident={incident} />
              {/* On a phone, it is in the bar at the bottom. */}
              <AcknowledgeButton incident={incident} className="max-sm:hidden" />
              <SnoozeMenu incident={incident} />
            </>
          )}
          {monitor.type === "http" && <CopyButton text={curlOf(monitor)} label={t("monitorDetail.copyCurl")} />}
        </span>
      </div>
      {note.trim() !== "" && (
        <div className="rounded-md border border-line bg-surface px-4 py-3">
          <h2 className="mb-1 text-[13px] font-semibold text-muted">{t("alerting.note")}</h2>
          <Markdown text={note} />
        </div>
      )}
    </section>
  );
}
