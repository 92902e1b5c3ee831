import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { ManagedBadge, managedText } from "../../entities/managed/managed-badge.tsx";
import { planPath, windowPath } from "../../app/paths.ts";
import { targetKey, targetsOf } from "../../entities/targets/api.ts";
import { TargetIcon, useTargetName } from "../../entities/targets/target-line.tsx";
import { AddLink } from "../../lists/add-link.tsx";
import { formatPeriod, ownTimeZone } from "../../lib/format.ts";
import { ActionDialog, DeleteDialog } from "../../lists/delete-dialog.tsx";
import { RowAction } from "../../lists/row-actions.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Segmented } from "../../ui/choice.tsx";
import { CheckIcon, PauseIcon, PendingIcon, RefreshIcon, TagIcon, TrashIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { maxOpen, Overview, pastPageSize, refreshed } from "../../lists/overview.tsx";
import { useEndMaintenanceMutation, useMaintenanceListQuery, useRemoveMaintenanceMutation } from "./api.ts";
import { useRecurrenceText } from "./recurrence.ts";
import { EditWindow, PlanWindow, When } from "./window-form.tsx";

const MonthView = lazy(() => import("./month.tsx"));

/** Shows the list, a month (`view=month`), a window (`window=7`), or the form for a new one (`plan=new`, `plan=agent:3`). */
export default function MaintenanceTab() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const { mayChange } = useSession();
  const id = params.get("window");
  const plan = params.get("plan");
  if (plan !== null && mayChange) return <PlanWindow key={plan} plan={plan} />;
  if (id !== null && plan === null) return <EditWindow key={id} id={Number(id)} />;
  const isMonth = params.get("view") === "month";
  const views = (
    <Segmented
      label={t("maintenance.view")}
      value={isMonth ? "month" : "list"}
      onChange={(view) => setParams(view === "month" ? { view } : {})}
      options={(["list", "month"] as const).map((value) => ({ value, label: t(`maintenance.views.${value}`) }))}
    />
  );
  if (!isMonth) return <MaintenanceOverview views={views} />;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-end gap-3">
        {views}
        <AddLink noun="maintenance" to={planPath} />
      </div>
      <Suspense fallback={<Skeleton className="h-[40rem] w-full" />}>
        <MonthView />
      </Suspense>
    </div>
  );
}

const none = { running: "noRunning", scheduled: "noScheduled", ended: "noEnded" } as const;

function MaintenanceOverview({ views }: { views: ReactNode }) {
  const [page, setPage] = useState(1);
  const [toDelete, setToDelete] = useState<Maintenance | null>(null);
  const [toEnd, setToEnd] = useState<Maintenance | null>(null);
  const { t } = useTranslation();
  const [remove] = useRemoveMaintenanceMutation();
  const [end] = useEndMaintenanceMutation();
  const running = useSection("running", 1, maxOpen);
  const scheduled = useSection("scheduled", 1, maxOpen);
  const ended = { ...useSection("ended", page, pastPageSize), paging: { page, onPage: setPage } };
  return (
    <Overview
      noun="maintenance"
      icon={<PauseIcon />}
      addTo={planPath}
      tools={views}
      sections={[running, scheduled, ended]}
      row={(window) => (
        <WindowRow
          key={window.id}
          window={window}
          onDelete={() => setToDelete(window)}
          onEnd={() => setToEnd(window)}
        />
      )}
      dialogs={(onDone) => (
        <>
          {/* Ending the window sends deferred alerts for everything that is still down. */}
          <ActionDialog
            target={toEnd}
            onClose={() => setToEnd(null)}
            onDone={(message) => onDone(message ?? t("maintenance.endDone"))}
            title={t("maintenance.endTitle")}
            text={t("maintenance.endText", { name: toEnd?.name ?? "" })}
            action={t("maintenance.endNow")}
            savingLabel={t("maintenance.endingNow")}
            act={({ id }) => end(id)}
            fallback="endMaintenance"
          />
          <DeleteDialog
            target={toDelete}
            onClose={() => setToDelete(null)}
            onDeleted={onDone}
            noun="maintenance"
            fallback="deleteMaintenance"
            remove={remove}
          />
        </>
      )}
    />
  );
}

function useSection(status: keyof typeof none, page: number, pageSize: number) {
  const { t } = useTranslation();
  const query = useMaintenanceListQuery({ status, page, pageSize }, refreshed);
  return {
    query,
    title: t(`maintenance.${status}`),
    none: t(`maintenance.${none[status]}`),
    items: query.data?.maintenance,
    total: query.data?.total,
  };
}

const looks = {
  running: { tone: "accent", icon: PauseIcon },
  scheduled: { tone: "plain", icon: PendingIcon },
  ended: { tone: "plain", icon: CheckIcon },
} as const;

function WindowRow({ window, onDelete, onEnd }: { window: Maintenance; onDelete: () => void; onEnd: () => void }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const recurs = useRecurrenceText(window);
  const { id, name, status, next, start, end, timeZone, managed } = window;
  const later = window.upcoming.slice(1).map(spanMs);
  return (
    <li data-row className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 md:px-5">
      <div className="flex min-w-0 flex-1 basis-52 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to={windowPath(id)}
            className="inline-flex min-h-6 min-w-0 items-center font-medium break-words hover:underline"
          >
            {name}
          </Link>
          <Badge {...looks[status]}>{t(`maintenance.states.${status}`)}</Badge>
          {recurs !== "" && <Badge icon={RefreshIcon}>{recurs}</Badge>}
          {!window.public && <Badge>{t("maintenance.hidden")}</Badge>}
          <ManagedBadge managed={managed} />
        </p>
        <p className="flex flex-wrap gap-x-3 text-[13px] text-muted">
          {next === undefined ? (
            <>
              {recurs !== "" && <span>{t("maintenance.first")}</span>}
              <When start={start} end={end} timeZone={timeZone} />
            </>
          ) : (
            <>
              <span>
                {t(status === "running" ? "maintenance.endsIn" : "maintenance.startsIn")}
                <Time at={status === "running" ? next.end : next.start} relative />
              </span>
              <When start={next.start} end={next.end} timeZone={timeZone} />
            </>
          )}
        </p>
        {later.length > 0 && (
          <p className="tnum text-[13px] text-muted">
            {t("maintenance.later")} {later.map((span) => formatPeriod(span, i18n.language)).join(" · ")}
            {timeZone !== ownTimeZone() && ` (${t("maintenance.yourTime")})`}
          </p>
        )}
        <Covered window={window} />
      </div>
      {mayChange && (
        <span className="inline-flex items-center gap-1">
          {status === "running" && (
            <Button size="sm" onClick={onEnd} aria-label={`${t("maintenance.endNow")}: ${name}`}>
              {t("maintenance.endNow")}
            </Button>
          )}
          <RowAction label={t("common.delete")} name={name} onClick={onDelete} refusal={managedText(managed, t)}>
            <TrashIcon />
          </RowAction>
        </span>
      )}
    </li>
  );
}

const spanMs = ({ start, end }: { start: string; end: string }) => ({
  fromMs: Date.parse(start),
  toMs: Date.parse(end),
});

/** Limits requests: each target requests its name. */
const maxShown = 3;

function Covered({ window }: { window: Maintenance }) {
  const { t } = useTranslation();
  const targets = targetsOf(window);
  const more = targets.length - maxShown;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-[13px] text-faint">
      {window.tags.map((tag) => (
        <span key={tag} className="inline-flex min-w-0 items-center gap-1">
          <TagIcon className="size-3.5" />
          <span className="min-w-0 truncate">{tag}</span>
        </span>
      ))}
      {targets.slice(0, maxShown).map((target) => (
        <Name key={targetKey(target)} target={target} />
      ))}
      {more > 0 && <span>{t("maintenance.more", { count: more })}</span>}
    </p>
  );
}

function Name({ target }: { target: TargetRef }) {
  const { name = "…" } = useTargetName(target);
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <TargetIcon type={target.type} className="size-3.5" />
      <span className="min-w-0 truncate">{name}</span>
    </span>
  );
}
