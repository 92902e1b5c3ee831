import type { AnswerOf } from "../../app/api.ts";
import type { schedulesAnswer } from "@sonde/proto/http/on-call/schedules";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { Loaded, Notice, useNotice } from "../../app/screen.tsx";
import { ManagedBadge, managedText } from "../../entities/managed/managed-badge.tsx";
import { AddLink } from "../../lists/add-link.tsx";
import { DeleteDialog } from "../../lists/delete-dialog.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { RowActions, RowAction } from "../../lists/row-actions.tsx";
import { toast } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CalendarIcon, OnCallIcon, SwapIcon, WarnIcon } from "../../ui/icons.tsx";
import { OnceDialog } from "../../ui/once-dialog.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { Until } from "../../ui/until.tsx";
import {
  namesIn,
  type NamedSchedule,
  useMakeFeedMutation,
  useRemoveScheduleMutation,
  useSchedulesQuery,
} from "./api.ts";
import { PoliciesSection } from "./policies/policies-section.tsx";
import { ShiftDialog, type OpenedShift } from "./shift-dialog.tsx";
import { ShiftCalendar } from "./shift-calendar.tsx";
import { useSwap } from "./swap.ts";

/** Who is on call, and a month of the schedule in the address (`?schedule=7`). */
export default function OnCallScreen() {
  const { t } = useTranslation();
  const query = useSchedulesQuery(undefined, refreshed);
  return (
    <>
      <PageHeader title={t("onCall.title")} actions={(query.data?.total ?? 0) > 0 && <AddLinks />} />
      <Loaded query={query} placeholder={<Placeholder />}>
        {(data) => <Schedules data={data} />}
      </Loaded>
      <section className="mt-8 flex flex-col gap-3">
        <h2 className="text-[17px] font-semibold">{t("policies.title")}</h2>
        <PoliciesSection />
      </section>
      <section className="mt-8 flex flex-col items-start gap-3">
        <h2 className="text-[17px] font-semibold">{t("drills.title")}</h2>
        <p className="text-muted">{t("drills.about")}</p>
        <ButtonLink to={paths.drills}>{t("drills.open")}</ButtonLink>
      </section>
    </>
  );
}

function AddLinks() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    mayChange && (
      <span className="flex flex-wrap justify-center gap-2">
        <ButtonLink to={paths.onCallImport}>{t("onCall.import.title")}</ButtonLink>
        <AddLink noun="onCall" to={paths.onCallCreate} />
      </span>
    )
  );
}

function Schedules({ data: { schedules, people } }: { data: AnswerOf<typeof schedulesAnswer> }) {
  const { t } = useTranslation();
  const wanted = Number(useSearchParams()[0].get("schedule"));
  const [notice, setNotice] = useState(useNotice());
  const [toDelete, setToDelete] = useState<NamedSchedule | null>(null);
  const [feedOf, setFeedOf] = useState<NamedSchedule | null>(null);
  const [opened, setOpened] = useState<OpenedShift | null>(null);
  const [remove] = useRemoveScheduleMutation();
  const nameOf = namesIn(people, t("onCall.deletedUser"));
  const named = schedules.map((schedule): NamedSchedule => ({ ...schedule, nameOf }));
  const selected = named.find(({ id }) => id === wanted) ?? named[0];
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      {selected === undefined ? (
        <Card>
          <EmptyState icon={<OnCallIcon />} title={t("onCall.empty.title")} action={<AddLinks />}>
            {t("onCall.empty.text")}
          </EmptyState>
        </Card>
      ) : (
        <>
          <Card flush>
            <ul className="divide-y divide-line">
              {named.map((schedule) => (
                <Row
                  key={schedule.id}
                  schedule={schedule}
                  isSelected={named.length > 1 && schedule === selected}
                  onOpen={setOpened}
                  onFeed={() => setFeedOf(schedule)}
                  onDelete={() => setToDelete(schedule)}
                />
              ))}
            </ul>
          </Card>
          <section aria-label={t("onCall.calendarOf", { name: selected.name })} className="flex flex-col gap-2">
            {named.length > 1 && <h2 className="text-[15px] font-semibold">{selected.name}</h2>}
            <ShiftCalendar schedule={selected} onOpen={setOpened} />
          </section>
        </>
      )}
      {opened !== null && <ShiftDialog shift={opened} onClose={() => setOpened(null)} />}
      {feedOf !== null && <FeedDialog schedule={feedOf} onClose={() => setFeedOf(null)} />}
      <DeleteDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={setNotice}
        noun="onCall"
        fallback="deleteSchedule"
        remove={remove}
      />
    </div>
  );
}

type RowProps = {
  schedule: NamedSchedule;
  isSelected: boolean;
  onOpen: (shift: OpenedShift) => void;
  onFeed: () => void;
  onDelete: () => void;
};

function Row({ schedule, isSelected, onOpen, onFeed, onDelete }: RowProps) {
  const { t } = useTranslation();
  const { user, mayChange } = useSession();
  const { isSaving, give } = useSwap(schedule.id);
  const { id, name, timeZone, now, next, nameOf, overrides, managed } = schedule;
  const isMine = now !== undefined && now.userId === user?.id;
  const start = new Date().toISOString();
  const isReplaced = overrides.some((one) => one.start <= start && one.end > start);
  const end = now === undefined ? next?.start : now.until;
  const current = end === undefined || isReplaced ? undefined : { start, end };
  return (
    <li data-row className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 md:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 text-[13px] text-muted">
          <Link
            to={`${paths.onCall}?schedule=${id}`}
            aria-current={isSelected || undefined}
            className="inline-flex min-h-6 items-center font-medium break-words hover:underline aria-[current]:text-accent-strong"
          >
            {name}
          </Link>
          <span>{timeZone}</span>
          <ManagedBadge managed={managed} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {now === undefined ? (
            <Badge tone="down" icon={WarnIcon}>
              {t("onCall.nobody")}
            </Badge>
          ) : (
            <>
              <span className="min-w-0 text-[15px] font-semibold break-words">{nameOf(now.userId)}</span>
              {isMine && <Badge tone="accent">{t("onCall.you")}</Badge>}
              {now.isUnreachable === true && (
                <Badge tone="warn" icon={WarnIcon}>
                  {t("onCall.unreachable")}
                </Badge>
              )}
              {now.until !== undefined && (
                <span className="text-muted">
                  {t("onCall.until")} <Until at={now.until} />
                </span>
              )}
            </>
          )}
        </p>
        <p className="min-h-5 text-[13px] text-muted">
          {next !== undefined && (
            <>
              {t("onCall.next", { name: nameOf(next.userId) })} <Until at={next.start} />
            </>
          )}
        </p>
      </div>
      <span className="flex flex-wrap items-center gap-1">
        {current !== undefined && user !== null && !isMine && (
          <Button
            size="sm"
            saving={isSaving}
            aria-label={`${t("onCall.take")}: ${name}`}
            onClick={() => void give({ ...current, userId: user.id }, user.username)}
          >
            {t("onCall.take")}
          </Button>
        )}
        {current !== undefined && isMine && mayChange && (
          <Button
            size="sm"
            aria-label={`${t("onCall.cover")}: ${name}`}
            onClick={() => onOpen({ schedule, ...current, userId: now.userId, source: "layer" })}
          >
            <SwapIcon />
            {t("onCall.cover")}
          </Button>
        )}
        <RowActions
          name={name}
          editAt={paths.onCallEdit(id)}
          more={
            <RowAction label={t("onCall.feed.title")} name={name} onClick={onFeed}>
              <CalendarIcon />
            </RowAction>
          }
          onDelete={onDelete}
          deleteRefusal={managedText(managed, t)}
        />
      </span>
    </li>
  );
}

function FeedDialog({ schedule: { id, name, hasFeed }, onClose }: { schedule: NamedSchedule; onClose: () => void }) {
  const { t } = useTranslation();
  const [make, { data, isLoading }] = useMakeFeedMutation();
  if (data !== undefined) {
    const texts = [{ about: t("onCall.feed.title"), text: data.url }];
    return <OnceDialog title={t("onCall.feed.title")} note={t("onCall.feed.once")} texts={texts} onClose={onClose} />;
  }
  async function create() {
    const { error } = await make(id);
    if (error !== undefined) toast("error", errorText(error, "createFeed"));
  }
  return (
    <Dialog
      onClose={onClose}
      title={`${t("onCall.feed.title")}: ${name}`}
      description={t(hasFeed ? "onCall.feed.replace" : "onCall.feed.text")}
      footer={
        <>
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button variant={hasFeed ? "danger" : "primary"} saving={isLoading} onClick={() => void create()}>
            {t(hasFeed ? "onCall.feed.replaceAction" : "onCall.feed.create")}
          </Button>
        </>
      }
    />
  );
}

function Placeholder() {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton className="h-24 w-full rounded-lg" />
      <Skeleton className="h-[42rem] w-full rounded-lg" />
    </div>
  );
}
