import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useIsAhead, useNow } from "../../lib/hooks.ts";
import { formatSpan } from "../../lib/format.ts";
import { IncidentBadge } from "../badge.tsx";
import { Reason } from "./reason.tsx";
import { Time } from "../time.tsx";
import { Until } from "../until.tsx";

type IncidentListProps = {
  incidents: readonly Incident[];
  pageOf: (id: string) => string;
  /** Shows the target of each incident, for lists of several targets. */
  named?: boolean;
};

export function IncidentList({ incidents, pageOf, named = false }: IncidentListProps) {
  return (
    <ul className="divide-y divide-line">
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} to={pageOf(incident.id)} named={named} />
      ))}
    </ul>
  );
}

function IncidentRow({ incident, to, named }: { incident: Incident; to: string; named: boolean }) {
  const { target, cause, openedAt, closedAt } = incident;
  const link = "inline-flex min-h-6 items-center hover:underline";
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-3 gap-y-0.5 px-4 py-3 md:grid-cols-[8rem_minmax(0,1fr)_auto] md:px-5">
      <IncidentBadge incident={incident} className="mt-0.5 justify-self-start" />
      <div className="min-w-0">
        {named && (
          <Link to={to} className={`${link} font-medium`}>
            {target.name}
          </Link>
        )}
        <p className={named ? "text-[13px] text-muted" : undefined}>
          {named ? (
            <Reason text={cause} />
          ) : (
            <Link to={to} className={link}>
              <Reason text={cause} />
            </Link>
          )}
          <IncidentNotes incident={incident} />
        </p>
      </div>
      <p className="col-start-2 text-[13px] text-faint md:col-start-auto md:text-right">
        <Time at={openedAt} short />
        <span className="tnum ml-2 md:ml-0 md:block">
          <Lasted from={openedAt} to={closedAt} />
        </span>
      </p>
    </li>
  );
}

export function IncidentNotes({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const { flaps, acknowledgedBy, closedAt, snoozedUntil, silencedUntil } = incident;
  const isOpen = closedAt === undefined;
  const isSnoozed = useIsAhead(snoozedUntil) && isOpen;
  const isSilent = useIsAhead(silencedUntil) && isOpen;
  return (
    <span className="text-muted">
      {flaps !== undefined && <> · {t("incidents.flaps", { count: flaps })}</>}
      {acknowledgedBy !== undefined && <> · {t("incidents.acknowledgedBy", { name: acknowledgedBy })}</>}
      {isSnoozed && snoozedUntil !== undefined && (
        <>
          {" · "}
          {t("incidents.snoozedUntil")} <Until at={snoozedUntil} />
        </>
      )}
      {isSilent && silencedUntil !== undefined && (
        <>
          {" · "}
          {t("incidents.silencedUntil")} <Until at={silencedUntil} />
        </>
      )}
    </span>
  );
}

export function Lasted({ from, to }: { from: string; to: string | undefined }) {
  const { t, i18n } = useTranslation();
  const span = useSpan(from, to, i18n.language);
  return to === undefined ? t("incidents.since", { span }) : span;
}

export function Span({ from, to }: { from: string; to: string | undefined }) {
  return useSpan(from, to, useTranslation().i18n.language);
}

function useSpan(from: string, to: string | undefined, language: string): string {
  const nowMs = useNow();
  return formatSpan((to === undefined ? nowMs : Date.parse(to)) - Date.parse(from), language);
}
