import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { AnnounceLink } from "../../app/announcements/announce-link.tsx";
import { errorText, statusOf } from "../../app/errors.ts";
import { usePolling } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { BackLink, DetailPlaceholder, Loaded, Missing } from "../../app/screen.tsx";
import { useTargetQuery } from "../../app/targets/api.ts";
import { NoteCard, TargetIcon } from "../../app/targets/target-line.tsx";
import { Alert } from "../../ui/alert.tsx";
import { IncidentBadge } from "../../ui/badge.tsx";
import { Card, Tile, TileRow } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { Span } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { CheckIcon, DashIcon, WarnIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Time } from "../../ui/time.tsx";
import { AcknowledgeCard } from "./acknowledge-card.tsx";
import { isIncidentId, type Story, useStoryQuery } from "./api.ts";
import { DeferredUntil, TimelineCard } from "./timeline-card.tsx";

/** One incident: what is wrong, who works on it, what happened, and who was notified. */
export default function DetailScreen() {
  const { t, i18n } = useTranslation();
  const { id = "" } = useParams();
  const known = isIncidentId(id);
  const query = useStoryQuery(
    { id, language: i18n.language as Language },
    { skip: !known, pollingInterval: usePolling(), refetchOnMountOrArgChange: true },
  );
  const { currentData, data, error } = query;
  // In another language the old words stay until the new ones are here.
  const story = currentData ?? (data?.incident.id === id ? data : undefined);
  const header = <PageHeader title={t("incident.title")} />;
  if (!known || statusOf(error) === 404) {
    const back = { back: t("incident.back"), backTo: paths.incidents };
    return (
      <>
        {header}
        <Missing icon={<WarnIcon />} title={t("incident.missing")} {...back}>
          {t("incident.missingText")}
        </Missing>
      </>
    );
  }
  return (
    <Loaded
      query={{ ...query, data: story }}
      fallback="fetchData"
      placeholder={<DetailPlaceholder last="h-48" />}
      header={header}
    >
      {(shown) => <Detail story={shown} error={error} />}
    </Loaded>
  );
}

function Detail({ story, error }: { story: Story; error: unknown }) {
  const { t } = useTranslation();
  const { type, id, name } = story.incident.target;
  const { data: noted } = useTargetQuery({ type, id }, { skip: type !== "monitor" });
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader story={story} />
      {error !== undefined && <Alert kind="error">{errorText(error, "fetchData")}</Alert>}
      {/* What can be done comes first, to the keyboard and on a phone; on a wide screen it is at the right. */}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4 lg:order-last">
          <AcknowledgeCard key={story.incident.id} incident={story.incident} />
          {/* What the monitor's people noted for this moment. */}
          <NoteCard note={noted?.note} title={t("incident.noteOf", { name })} />
          <NotifiedCard story={story} />
        </div>
        <TimelineCard story={story} />
      </div>
    </div>
  );
}

/** What is wrong with whom, since when, and what comes next. */
function DetailHeader({ story }: { story: Story }) {
  const { t } = useTranslation();
  const { incident, nextReminderAt, unavailable = [] } = story;
  const { target, kind, cause, flaps, openedAt, closedAt, acknowledgedAt } = incident;
  const isOpen = closedAt === undefined;
  const isAway = unavailable.includes("notifications");
  const [reminder, reminderNote] = isAway
    ? ["–", t("incident.away")]
    : nextReminderAt !== undefined
      ? [<Time key="" at={nextReminderAt} relative />, <Time key="" at={nextReminderAt} />]
      : [
          t("incident.noReminder"),
          t(acknowledgedAt === undefined ? "incident.reminderNone" : "incident.reminderAcknowledged"),
        ];
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

/** What is, or was, wrong, in one line: `Shop API is down`. */
function headline({ kind, metric = "", target: { name }, closedAt }: Incident, t: TFunction): string {
  const tense = closedAt === undefined ? "is" : "was";
  if (kind !== "threshold") return t(`incident.headline.${tense}.${kind}`, { name });
  return t(`incident.headline.${tense}.threshold`, { name, metric: metricName(metric, t) });
}

/** `cpu`, `memory`, or `disk:/data`. */
function metricName(metric: string, t: TFunction): string {
  if (metric.startsWith("disk:")) return t("incident.disk", { mountPoint: metric.slice("disk:".length) });
  return t(metric === "memory" ? "incident.memory" : "incident.cpu");
}

function NotifiedCard({ story: { incident, channels, unavailable = [] } }: { story: Story }) {
  const { t } = useTranslation();
  const { type, id } = incident.target;
  return (
    <Card title={t("incident.told")}>
      {unavailable.includes("notifications") ? (
        <p className="text-muted">{t("incident.away")}</p>
      ) : channels.length === 0 ? (
        <p className="text-muted">{t("incident.toldNobody")}</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {channels.map(({ channelId, channelName, told, text, heldUntil }) => {
            const Icon = told ? CheckIcon : DashIcon;
            return (
              <li key={channelId} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5">
                <Icon className={cx("mt-1 size-4", told ? "text-up-ink" : "text-muted")} />
                <div className="min-w-0">
                  <p className="font-medium">{channelName}</p>
                  <p className="text-[13px] text-muted">{text}</p>
                  {heldUntil !== undefined && <DeferredUntil at={heldUntil} />}
                </div>
              </li>
            );
          })}
        </ul>
      )}
      <p className="mt-3 border-t border-line pt-3">
        <Link
          to={paths.targetNotifications(type, id)}
          className="inline-flex min-h-6 items-center text-[13px] text-accent-strong hover:underline"
        >
          {t("incident.settings", { name: incident.target.name })}
        </Link>
      </p>
    </Card>
  );
}
