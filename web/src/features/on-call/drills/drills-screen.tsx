import type { Drill, DrillRun, drillsAnswer } from "@sonde/proto/http/on-call/drills";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import type { AnswerOf } from "../../../app/api.ts";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { BackLink, Loaded, Notice } from "../../../app/screen.tsx";
import { ManagedBadge, managedText } from "../../../entities/managed/managed-badge.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { RowAction } from "../../../lists/row-actions.tsx";
import { toast } from "../../../ui/alert.tsx";
import { Badge, type BadgeLook } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CheckIcon, CrossIcon, DashIcon, OnCallIcon, PendingIcon, TrashIcon, WarnIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { useAcknowledgeDrillMutation, useDeleteDrillMutation, useDrillsQuery } from "../api.ts";
import { StartDialog } from "./start-dialog.tsx";

type Answer = AnswerOf<typeof drillsAnswer>;

const pollMs = 5_000;

/** Fire drills: running ones, earlier ones, and what was proven when. */
export default function DrillsScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const query = useDrillsQuery(undefined, { pollingInterval: pollMs, skipPollingIfUnfocused: true });
  const [notice, setNotice] = useState<string>();
  const [isStarting, setIsStarting] = useState(useSearchParams()[0].has("start") && mayChange);
  const start = mayChange && (
    <Button variant="primary" onClick={() => setIsStarting(true)}>
      {t("drills.start")}
    </Button>
  );
  return (
    <>
      <BackLink to={paths.onCall} label={t("nav.onCall")} />
      <PageHeader title={t("drills.title")} actions={(query.data?.total ?? 0) > 0 && start} />
      <Loaded query={query} placeholder={<Skeleton className="h-96 w-full rounded-lg" />}>
        {({ drills, proven }) => (
          <div className="flex flex-col gap-4">
            <Notice text={notice} />
            <Card flush>
              {drills.length === 0 ? (
                <EmptyState icon={<OnCallIcon />} title={t("drills.empty.title")} action={start}>
                  {t("drills.empty.text")}
                </EmptyState>
              ) : (
                <DrillList drills={drills} onDeleted={setNotice} />
              )}
            </Card>
            <Proven proven={proven} />
          </div>
        )}
      </Loaded>
      {isStarting && <StartDialog onClose={() => setIsStarting(false)} onStarted={setNotice} />}
    </>
  );
}

function DrillList({ drills, onDeleted }: { drills: readonly Drill[]; onDeleted: (notice: string) => void }) {
  const [toDelete, setToDelete] = useState<{ id: number; name: string } | null>(null);
  const [remove] = useDeleteDrillMutation();
  return (
    <>
      <ul className="divide-y divide-line">
        {drills.map((drill) => (
          <Row key={drill.id} drill={drill} onDelete={() => setToDelete({ id: drill.id, name: drill.targetName })} />
        ))}
      </ul>
      <DeleteDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={onDeleted}
        noun="drills"
        fallback="deleteDrill"
        remove={remove}
      />
    </>
  );
}

function Row({ drill, onDelete }: { drill: Drill; onDelete: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { target, targetName, schedule, nextAt, createdBy, managed, runs } = drill;
  const [latest, ...earlier] = runs;
  const kind = target.split(":")[0] as "user" | "policy" | "channel";
  return (
    <li data-row className="flex flex-col gap-2 px-4 py-3 md:px-5">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium break-words">{targetName}</span>
            <span className="text-[13px] text-muted">{t(`drills.kind.${kind}`)}</span>
            <ManagedBadge managed={managed} />
          </p>
          <p className="text-[13px] text-muted">
            {t("drills.by", { name: createdBy })}
            {schedule !== undefined && ` · ${t(`drills.schedules.${schedule}`)}`}
            {nextAt !== undefined && (
              <>
                {` · ${t("drills.next")} `}
                <Time at={nextAt} short />
              </>
            )}
          </p>
        </div>
        {mayChange && (
          <RowAction label={t("common.delete")} name={targetName} onClick={onDelete} refusal={managedText(managed, t)}>
            <TrashIcon />
          </RowAction>
        )}
      </div>
      {latest !== undefined && <Run run={latest} drillId={drill.id} name={targetName} />}
      {earlier.length > 0 && (
        <details>
          <summary className="inline-flex min-h-6 items-center text-[13px] text-accent-strong">
            {t("drills.earlier", { count: earlier.length })}
          </summary>
          <div className="flex flex-col gap-2 pt-2">
            {earlier.map((run) => (
              <Run key={run.id} run={run} drillId={drill.id} name={targetName} />
            ))}
          </div>
        </details>
      )}
    </li>
  );
}

function Run({ run, drillId, name }: { run: DrillRun; drillId: number; name: string }) {
  const { t } = useTranslation();
  const { user, mayChange } = useSession();
  const [acknowledge, { isLoading }] = useAcknowledgeDrillMutation();
  const { startedAt, endedAt, acknowledgedAt, acknowledgedBy, notified } = run;
  const isRunning = endedAt === undefined;
  const state = isRunning ? "running" : acknowledgedAt === undefined ? "unanswered" : "acknowledged";
  const isMine = user !== null && acknowledgedBy.includes(user.username);
  async function onAcknowledge() {
    const { error } = await acknowledge(drillId);
    if (error !== undefined) toast("error", errorText(error, "acknowledge"));
  }
  return (
    <div className="flex flex-col gap-1.5 rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px]">
        <Badge {...runLooks[state]}>{t(`drills.state.${state}`)}</Badge>
        <span className="text-muted">
          <Time at={startedAt} short />
        </span>
        {acknowledgedAt !== undefined && (
          <span className="min-w-0 break-words">
            {t("drills.acknowledgedBy", { names: acknowledgedBy.join(", ") })} <Time at={acknowledgedAt} short />
          </span>
        )}
        {isRunning && mayChange && !isMine && (
          <Button
            size="sm"
            className="ml-auto"
            saving={isLoading}
            aria-label={`${t("drills.acknowledge")}: ${name}`}
            onClick={() => void onAcknowledge()}
          >
            <CheckIcon />
            {t("drills.acknowledge")}
          </Button>
        )}
      </div>
      <ul className="flex flex-col gap-1 text-[13px] empty:hidden">
        {notified.map((one, at) => (
          <li key={at} className="flex flex-wrap items-center gap-x-2">
            <Badge {...looks[one.state]}>{t(`drills.sent.${one.state}`)}</Badge>
            <span className="min-w-0 break-words">{one.name || t("drills.nobody")}</span>
            <span className="text-muted">
              <Time at={one.at} short />
            </span>
          </li>
        ))}
      </ul>
      {notified.length === 0 && <p className="text-[13px] text-muted">{t("drills.notYet")}</p>}
    </div>
  );
}

const runLooks = {
  running: { tone: "accent", icon: PendingIcon },
  acknowledged: { tone: "up", icon: CheckIcon },
  unanswered: { tone: "warn", icon: WarnIcon },
} as const;
const looks: Record<DrillRun["notified"][number]["state"], BadgeLook> = {
  pending: { icon: PendingIcon },
  waiting: { icon: PendingIcon },
  delivered: { tone: "up", icon: CheckIcon },
  failed: { tone: "down", icon: CrossIcon },
  skipped: { icon: DashIcon },
  nobody: { tone: "warn", icon: WarnIcon },
};

function Proven({ proven }: Pick<Answer, "proven">) {
  const { t } = useTranslation();
  const kinds = (["contacts", "policies", "channels"] as const).filter((kind) => proven[kind].length > 0);
  if (kinds.length === 0) return null;
  return (
    <Card title={t("drills.proven.title")} gap="gap-4">
      <p className="text-muted">{t("drills.proven.text")}</p>
      <div className="grid gap-4 md:grid-cols-3">
        {kinds.map((kind) => (
          <section key={kind} aria-label={t(`drills.proven.${kind}`)} className="min-w-0">
            <h3 className="text-[13px] font-semibold">{t(`drills.proven.${kind}`)}</h3>
            <ul className="divide-y divide-line">
              {proven[kind].map(({ id, name, lastProvenAt }) => (
                <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 py-1.5">
                  <span className="min-w-0 break-words">{name}</span>
                  {lastProvenAt === undefined ? (
                    <Badge tone="warn" icon={WarnIcon}>
                      {t("drills.proven.never")}
                    </Badge>
                  ) : (
                    <span className="text-[13px] text-muted">
                      {t("drills.proven.last")} <Time at={lastProvenAt} relative />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Card>
  );
}
