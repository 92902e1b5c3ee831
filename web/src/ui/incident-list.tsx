import type { Incident } from "@sonde/proto/http/incidents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useNow } from "../lib/clock.ts";
import { formatSpan } from "../lib/format.ts";
import { Badge } from "./badge.tsx";
import { CheckIcon, CrossIcon } from "./icons.tsx";
import { Time } from "./time.tsx";
import { Reason } from "./reason.tsx";

type IncidentListProps = {
  incidents: readonly Incident[];
  /** The address of an incident's target. With it each incident names its target and links there. */
  linkTo?: (target: Incident["target"]) => string;
};

/** Incidents, newest first: state, whose, why, since when and for how long. */
export function IncidentList({ incidents, linkTo }: IncidentListProps) {
  return (
    <ul className="divide-y divide-line">
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} to={linkTo?.(incident.target)} />
      ))}
    </ul>
  );
}

function IncidentRow({ incident, to }: { incident: Incident; to: string | undefined }) {
  const { t } = useTranslation();
  const { target, cause, flaps, openedAt, closedAt, resolution } = incident;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-3 gap-y-0.5 px-4 py-3 md:grid-cols-[8rem_minmax(0,1fr)_auto] md:px-5">
      {closedAt === undefined ? (
        <Badge tone="down" className="mt-0.5 justify-self-start">
          <CrossIcon className="size-3" />
          {t("incidents.ongoing")}
        </Badge>
      ) : (
        <Badge className="mt-0.5 justify-self-start">
          <CheckIcon className="size-3" />
          {resolution === undefined ? t("incidents.resolved") : t(`incidents.resolution.${resolution}`)}
        </Badge>
      )}
      <div className="min-w-0">
        {to !== undefined && (
          <Link to={to} className="inline-flex min-h-6 items-center font-medium hover:underline">
            {target.name}
          </Link>
        )}
        <p className={to && "text-[13px] text-muted"}>
          <Reason text={cause} />
          {flaps !== undefined && <span className="text-muted"> · {t("incidents.flaps", { count: flaps })}</span>}
        </p>
      </div>
      <p className="col-start-2 text-[13px] text-faint md:col-start-auto md:text-right">
        <Time at={openedAt} />
        <span className="tnum ml-2 md:ml-0 md:block">
          <Lasted from={openedAt} to={closedAt} />
        </span>
      </p>
    </li>
  );
}

function Lasted({ from, to }: { from: string; to: string | undefined }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  const durationMs = (to === undefined ? nowMs : Date.parse(to)) - Date.parse(from);
  return to === undefined
    ? t("incidents.since", { span: formatSpan(durationMs, i18n.language) })
    : formatSpan(durationMs, i18n.language);
}
