import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { TargetIcon } from "../../app/targets/target-line.tsx";
import type { Columns } from "../../lists/data-table.tsx";
import { IncidentBadge } from "../../ui/badge.tsx";
import { IncidentNotes, Lasted, Span } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { Time } from "../../ui/time.tsx";
import type { IncidentListState } from "./list.ts";

/** State, whose and why, kind, beginning and length. On a phone the second carries what matters. */
export function useIncidentColumns(): Columns<Incident, IncidentListState> {
  const { t } = useTranslation();
  return [
    {
      head: t("incidentList.state"),
      from: "md",
      headClassName: "w-36",
      className: "whitespace-nowrap",
      cell: (incident) => <IncidentBadge incident={incident} />,
    },
    {
      head: t("incidentList.what"),
      className: "min-w-40 max-md:w-full max-md:max-w-0 max-md:py-2.5",
      cell: (incident) => <WhatCell incident={incident} />,
    },
    {
      head: t("incidentList.kind"),
      from: "lg",
      headClassName: "w-36",
      className: "whitespace-nowrap",
      cell: ({ kind }) => t(`incident.kinds.${kind}`),
    },
    {
      head: t("incidentList.opened"),
      sort: "openedAt",
      from: "md",
      headClassName: "w-48",
      className: "whitespace-nowrap text-muted",
      cell: ({ openedAt }) => <Time at={openedAt} />,
    },
    {
      head: t("incidentList.ended"),
      sort: "closedAt",
      from: "xl",
      headClassName: "w-48",
      className: "whitespace-nowrap text-muted",
      cell: ({ closedAt }) => (closedAt === undefined ? "–" : <Time at={closedAt} />),
    },
    {
      head: t("incidentList.duration"),
      numeric: true,
      from: "md",
      headClassName: "w-40",
      className: "tnum whitespace-nowrap",
      cell: ({ openedAt, closedAt }) => <Span from={openedAt} to={closedAt} />,
    },
  ];
}

function WhatCell({ incident }: { incident: Incident }) {
  const { id, target, cause, openedAt, closedAt } = incident;
  return (
    <>
      <span className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1 md:hidden">
        <IncidentBadge incident={incident} />
        <span className="tnum text-[13px] text-faint">
          <Time at={openedAt} /> · <Lasted from={openedAt} to={closedAt} />
        </span>
      </span>
      <Link
        to={paths.incident(id)}
        className="inline-flex max-w-full min-h-6 items-center gap-1.5 font-medium hover:underline"
      >
        <TargetIcon type={target.type} className="size-4 text-muted" />
        <span className="min-w-0 truncate">{target.name}</span>
      </Link>
      <span className="block text-[13px] text-muted">
        <Reason text={cause} />
        <IncidentNotes incident={incident} />
      </span>
    </>
  );
}
