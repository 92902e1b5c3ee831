import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { AnnounceLink } from "../../app/announcements/announce-link.tsx";
import { paths } from "../../app/paths.ts";
import { BackLink } from "../../app/screen.tsx";
import { TargetIcon } from "../../app/targets/target-line.tsx";
import type { Story } from "./api.ts";
import { Alert } from "../../ui/alert.tsx";
import { IncidentBadge } from "../../ui/badge.tsx";
import { Span } from "../../ui/health/incident-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { Tile, TileRow } from "../../ui/card.tsx";
import { Time } from "../../ui/time.tsx";

/** What is wrong with whom, since when, and what comes next. */
export function DetailHeader({ story }: { story: Story }) {
  const { t } = useTranslation();
  const { incident, nextReminderAt, unavailable = [] } = story;
  const { target, kind, cause, flaps, openedAt, closedAt, acknowledgedAt } = incident;
  const isOpen = closedAt === undefined;
  const reminder = unavailable.includes("notifications") ? (
    "–"
  ) : nextReminderAt === undefined ? (
    t("incident.noReminder")
  ) : (
    <Time at={nextReminderAt} relative />
  );
  const reminderNote = unavailable.includes("notifications") ? (
    t("incident.away")
  ) : nextReminderAt !== undefined ? (
    <Time at={nextReminderAt} />
  ) : acknowledgedAt !== undefined ? (
    t("incident.reminderAcknowledged")
  ) : (
    t("incident.reminderNone")
  );
  return (
    <div>
      <BackLink to={paths.incidents} label={t("incident.back")} />
      <PageHeader
        title={headline(incident, t)}
        badge={<IncidentBadge incident={incident} />}
        actions={<AnnounceLink incidentId={incident.id} />}
        description={
          <>
            <p>
              <Reason text={cause} />
            </p>
            <p className="mt-1 flex flex-wrap items-center gap-x-4">
              <Link
                to={paths[target.type](target.id)}
                className="inline-flex min-h-6 items-center gap-1.5 text-accent-strong hover:underline"
              >
                <TargetIcon type={target.type} className="size-4" />
                {target.name}
              </Link>
              <Link
                to={`${paths.incidents}?target=${target.type}:${target.id}`}
                className="inline-flex min-h-6 items-center text-[13px] hover:text-ink hover:underline"
              >
                {t("incident.ofTarget")}
              </Link>
            </p>
          </>
        }
      />
      <TileRow className={isOpen ? "md:grid-cols-3 max-md:[&>:nth-child(3)]:col-span-2" : undefined}>
        <Tile
          label={t("incident.began")}
          value={<Time at={openedAt} relative />}
          note={<Time at={openedAt} />}
          tone={isOpen ? (kind === "stale" ? "warn" : "down") : "plain"}
        />
        <Tile
          label={t("incident.duration")}
          value={<Span from={openedAt} to={closedAt} />}
          note={closedAt === undefined ? t("incident.goesOn") : <Time at={closedAt} />}
        />
        {isOpen && <Tile label={t("incident.nextReminder")} value={reminder} note={reminderNote} />}
      </TileRow>
      {flaps !== undefined && isOpen && (
        <Alert kind="info" className="mt-3">
          {t("incident.flapping", { count: flaps })}
        </Alert>
      )}
    </div>
  );
}

type Headed = Pick<Incident, "kind" | "metric" | "closedAt"> & { target: { name: string } };

/** What is, or was, wrong, in one line: `Shop API is down`. */
export function headline({ kind, metric = "", target: { name }, closedAt }: Headed, t: TFunction): string {
  const tense = closedAt === undefined ? "is" : "was";
  if (kind !== "threshold") return t(`incident.headline.${tense}.${kind}`, { name });
  return t(`incident.headline.${tense}.threshold`, { name, metric: metricName(metric, t) });
}

/** `cpu`, `memory`, or `disk:/data`. */
function metricName(metric: string, t: TFunction): string {
  const [kind, ...mountPoint] = metric.split(":");
  if (kind === "disk") return t("incident.disk", { mountPoint: mountPoint.join(":") });
  return kind === "memory" ? t("incident.memory") : t("incident.cpu");
}
