import { ownAddress } from "../../lib/base-path.ts";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import type { TFunction } from "i18next";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { AnnounceLink } from "../../entities/announcements/announce-link.tsx";
import { errorText, statusOf } from "../../app/errors.ts";
import { usePolling, useSession } from "../../app/hooks.ts";
import { loadLaterWords } from "../../app/i18n.ts";
import { AcknowledgeButton } from "../../entities/incidents/acknowledge-button.tsx";
import SharedCauses from "../../entities/incidents/shared-causes.tsx";
import { SnoozedNote } from "../../entities/incidents/snoozed-note.tsx";
import { SnoozeMenu } from "../../entities/incidents/snooze-menu.tsx";
import { paths } from "../../app/paths.ts";
import { BackLink, DetailPlaceholder, Loaded, Missing } from "../../app/screen.tsx";
import { SilencedNote } from "../../entities/silences/silenced-note.tsx";
import { SilenceMenu } from "../../entities/silences/silence-menu.tsx";
import { useTargetQuery } from "../../entities/targets/api.ts";
import { NoteCard, TargetIcon } from "../../entities/targets/target-line.tsx";
import { useTimeUp } from "../../lib/hooks.ts";
import { Alert } from "../../ui/alert.tsx";
import { IncidentBadge } from "../../ui/badge.tsx";
import { BottomBar, onPhones } from "../../ui/bottom-bar.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { cx } from "../../ui/cx.ts";
import { Span } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { GoalIcon, WarnIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Acknowledgement } from "./acknowledgement.tsx";
import { AroundCard } from "./around-card.tsx";
import { EvidenceCard } from "./evidence-card.tsx";
import { isIncidentId, type Story, useStoryQuery } from "./api.ts";
import { NotifiedCard } from "./notified-card.tsx";
import { SourceCard } from "./source-card.tsx";
import { TimelineCard } from "./timeline-card.tsx";

/** How long the evidence waits for the monitor's note, which is above it. */
const maxWaitMs = 300;
const PathCard = lazy(async () => (await Promise.all([import("./path-card.tsx"), loadLaterWords()]))[0]);
const WhatChangedCard = lazy(async () => (await Promise.all([import("./what-changed-card.tsx"), loadLaterWords()]))[0]);
const EscalationCard = lazy(async () => (await Promise.all([import("./escalation-card.tsx"), loadLaterWords()]))[0]);

export default function DetailScreen() {
  const { t, i18n } = useTranslation();
  const { id = "" } = useParams();
  const known = isIncidentId(id);
  const query = useStoryQuery(
    { id, language: i18n.language as Language },
    { skip: !known, pollingInterval: usePolling(), refetchOnMountOrArgChange: true },
  );
  const { currentData, data, error } = query;
  // After a language change, the old texts stay until the new ones are loaded.
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
  const { incident, silencedUntil, escalation, recovery, sharedCause } = story;
  const { target, closedAt, flaps } = incident;
  const { type, id } = target;
  const isOpen = closedAt === undefined;
  const { data: noted, isLoading } = useTargetQuery({ type, id }, { skip: type !== "monitor" });
  const isTimeUp = useTimeUp(maxWaitMs);
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader incident={incident} />
      {error !== undefined && <Alert kind="error">{errorText(error, "fetchData")}</Alert>}
      <Cause incident={incident} />
      {sharedCause !== undefined && <SharedCauses causes={[sharedCause]} className="-mt-1.5 px-4" />}
      <Acknowledgement key={incident.id} incident={incident} />
      <div className="grid gap-2 empty:hidden md:auto-cols-fr md:grid-flow-col">
        <SnoozedNote incident={incident} />
        <SilencedNote target={target} until={silencedUntil} />
      </div>
      {recovery !== undefined && <Alert kind="info">{t("incidents.goodChecks", recovery)}</Alert>}
      {flaps !== undefined && isOpen && <Alert kind="info">{t("incident.flapping", { count: flaps })}</Alert>}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <div className="min-w-0 lg:row-span-2">
          {isLoading && !isTimeUp ? (
            <Skeleton className="h-dvh w-full rounded-lg" />
          ) : (
            <Known story={story} noted={noted} isLoading={isLoading} />
          )}
        </div>
        {escalation !== undefined && (
          // First on a phone, before the long timeline.
          <div className="min-w-0 max-lg:order-first">
            <Suspense fallback={<EscalationPlaceholder steps={escalation.steps.length} />}>
              <EscalationCard incident={incident} escalation={escalation} />
            </Suspense>
          </div>
        )}
        <div className={cx("min-w-0", escalation === undefined && "lg:row-span-2")}>
          <NotifiedCard story={story} />
        </div>
      </div>
    </div>
  );
}

type KnownProps = { story: Story; noted: ReturnType<typeof useTargetQuery>["data"]; isLoading: boolean };

/** The monitor's note comes first, or last if it comes late, so that nothing moves. */
function Known({ story, noted, isLoading }: KnownProps) {
  const { t } = useTranslation();
  const { target } = story.incident;
  const [isLate] = useState(isLoading);
  const note = <NoteCard note={noted?.note} title={t("incident.noteOf", { name: target.name })} />;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <WhatChanged changed={story.whatChanged} />
      <SourceCard incident={story.incident} />
      {!isLate && note}
      <EvidenceCard story={story} request={noted?.request} isLoading={isLoading} />
      <AroundCard incident={story.incident} />
      {story.paths !== undefined && (
        <Suspense fallback={null}>
          <PathCard paths={story.paths} />
        </Suspense>
      )}
      <TimelineCard story={story} />
      {isLate && note}
    </div>
  );
}

/** Nothing if nothing is known. */
function WhatChanged({ changed }: { changed: Story["whatChanged"] }) {
  if (changed === undefined) return null;
  const { lastGood, firstBad, differences, events } = changed;
  const isComparable = lastGood !== undefined && firstBad !== undefined;
  if (!isComparable && events.length === 0) return null;
  const rows = (isComparable ? 3 + differences.length : 0) + (events.length > 0 ? 1 + events.length : 0);
  return (
    <Suspense
      fallback={
        <Card title="…">
          <div style={{ height: `${rows * 1.9}rem` }} />
        </Card>
      }
    >
      <WhatChangedCard changed={changed} />
    </Suspense>
  );
}

function EscalationPlaceholder({ steps }: { steps: number }) {
  return (
    <Card title="…">
      <div style={{ height: `${2 + steps * 3.25}rem` }} />
    </Card>
  );
}

function DetailHeader({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const { type, id, name } = incident.target;
  return (
    <div className="-mb-2">
      <BackLink to={paths.incidents} label={t("incident.back")} />
      <PageHeader
        title={headline(incident, t)}
        badge={<IncidentBadge incident={incident} />}
        actions={<Actions incident={incident} />}
        description={
          <span className="flex flex-wrap items-center gap-x-4">
            <Link
              to={paths[type](id)}
              className="inline-flex min-h-6 items-center gap-1.5 text-accent-strong hover:underline"
            >
              <TargetIcon type={type} className="size-4" />
              {name}
            </Link>
            <Link
              to={`${paths.incidents}?target=${type}:${id}`}
              className="inline-flex min-h-6 items-center text-[13px] hover:text-ink hover:underline"
            >
              {t("incident.ofTarget", { name })}
            </Link>
            {incident.kind === "slo" && incident.metric !== undefined && (
              <Link
                to={paths.slo(Number(incident.metric))}
                className="inline-flex min-h-6 items-center gap-1.5 text-accent-strong hover:underline"
              >
                <GoalIcon className="size-4" />
                {t("incident.serviceLevel")}
              </Link>
            )}
            <span className="-ml-2.5">
              <CopyButton text={ownAddress + paths.incident(incident.id)} label={t("incident.copyLink")} />
            </span>
          </span>
        }
      />
    </div>
  );
}

function Actions({ incident }: { incident: Incident }) {
  const { mayChange } = useSession();
  const { id, target, closedAt } = incident;
  const isOpen = closedAt === undefined;
  if (!isOpen || !mayChange) return <AnnounceLink incidentId={id} />;
  return (
    <BottomBar>
      <AcknowledgeButton incident={incident} className={onPhones} />
      <SnoozeMenu incident={incident} className={onPhones} />
      <SilenceMenu target={{ type: target.type, id: target.id }} name={target.name} className={onPhones} />
      <AnnounceLink incidentId={id} className={onPhones} />
    </BottomBar>
  );
}

function Cause({ incident: { cause, openedAt, closedAt, kind, severity } }: { incident: Incident }) {
  const { t } = useTranslation();
  const tone =
    closedAt !== undefined
      ? "border-line bg-surface"
      : ["stale", "partial", "slow", "slo"].includes(kind) || (kind === "external" && severity !== "critical")
        ? "border-warn/55 bg-warn-soft text-warn-ink"
        : "border-down/45 bg-down-soft text-down-ink";
  return (
    <div className={cx("rounded-lg border px-4 py-3", tone)}>
      <p className="text-[16px] font-semibold">
        <Reason text={cause} />
      </p>
      <p className="mt-0.5 flex flex-wrap gap-x-2 text-[13px]">
        <span>
          {t("incident.began")} <Time at={openedAt} short /> ·
        </span>
        {closedAt !== undefined && (
          <span>
            {t("incident.ended")} <Time at={closedAt} short /> ·
          </span>
        )}
        <span>
          {t(closedAt === undefined ? "incident.goesOn" : "incident.lasted")} <Span from={openedAt} to={closedAt} />
        </span>
      </p>
    </div>
  );
}

/** The problem in one line, for example `Shop API is down`. */
function headline({ kind, metric = "", target: { name }, closedAt }: Incident, t: TFunction): string {
  const tense = closedAt === undefined ? "is" : "was";
  if (kind !== "threshold") return t(`incident.headline.${tense}.${kind}`, { name });
  return t(`incident.headline.${tense}.threshold`, { name, metric: metricName(metric, t) });
}

/** Label of `cpu`, `memory` or a disk such as `disk:/data`. */
function metricName(metric: string, t: TFunction): string {
  if (metric.startsWith("disk:")) return t("incident.disk", { mountPoint: metric.slice("disk:".length) });
  return t(metric === "memory" ? "incident.memory" : "incident.cpu");
}
