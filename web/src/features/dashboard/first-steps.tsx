import type { statusConfigAnswer } from "@sonde/proto/http/status/config";
import type { pagesAnswer } from "@sonde/proto/http/status/pages";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { readStored, writeStored } from "../../app/storage.ts";
import { useUndo } from "../../app/undo.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CheckIcon, PulseIcon } from "../../ui/icons.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { Dashboard } from "./live.ts";

const timeout = 2_000;

type Reach = { monitors: boolean; agents: boolean; channels: number; tested: number };
/** `undefined` is unknown. */
type Setup = Record<"hasPage" | "hasSecondUser", boolean | undefined>;

const { useReachQuery, useSetupQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    reach: build.query<{ reach: Reach }, void>({
      query: () => ({ url: "/notifications/reach", timeout }),
      providesTags: ["Channels", "NotificationSettings"],
    }),
    setup: build.query<Setup, { isAdmin: boolean }>({
      async queryFn({ isAdmin }, _api, _extra, ask) {
        const read = async <Answer,>(url: string) => (await ask({ url, timeout })).data as Answer | undefined;
        const [pages, shown, users, invites] = await Promise.all([
          read<AnswerOf<typeof pagesAnswer>>("/pages"),
          read<AnswerOf<typeof statusConfigAnswer>>("/status/config"),
          isAdmin ? read<{ total: number }>("/users?pageSize=1") : undefined,
          isAdmin ? read<{ total: number }>("/users/invites") : undefined,
        ]);
        const hasPage =
          pages && shown && (pages.pages.length > 1 || shown.config.monitors.length + shown.config.agents.length > 0);
        return { data: { hasPage, hasSecondUser: users && (users.total > 1 || (invites?.total ?? 0) > 0) } };
      },
    }),
  }),
});

/** Users hide the first steps in their own browser. */
export function useFirstSteps() {
  const { user, isAdmin, mayChange } = useSession();
  const [hiddenBy, setHiddenBy] = useState(() => readStored("firstSteps")?.split(",") ?? []);
  const id = String(user?.id);
  const isHidden = !mayChange || hiddenBy.includes(id);
  const reach = useReachQuery(undefined, { refetchOnMountOrArgChange: true });
  const setup = useSetupQuery({ isAdmin }, { skip: isHidden, refetchOnMountOrArgChange: true });
  function hide(isNow: boolean) {
    const users = [...hiddenBy.filter((each) => each !== id), ...(isNow ? [id] : [])];
    writeStored("firstSteps", users.length > 0 ? users.join(",") : null);
    setHiddenBy(users);
  }
  return {
    isLoading: reach.isLoading || setup.isLoading,
    reach: reach.data?.reach,
    setup: isHidden ? undefined : setup.data,
    /** Only administrators can see whether there is a second user. */
    count: isAdmin ? 4 : 3,
    hide,
  };
}
export type FirstStepsState = ReturnType<typeof useFirstSteps>;

export const hasTargets = ({ monitors, agents }: Dashboard) => (monitors?.total ?? 0) + (agents?.total ?? 0) > 0;

type Action = { to: string; label: string };

function useAddTargets(): Action[] {
  const { t } = useTranslation();
  return [
    { to: paths.monitorCreate, label: t("dashboard.empty.monitorAction") },
    { to: paths.agentCreate, label: t("dashboard.empty.agentAction") },
  ];
}

/** Leaves out steps whose state is unknown. */
function useSteps(dashboard: Dashboard, { reach, setup }: FirstStepsState) {
  const { t } = useTranslation();
  const hasChannel = (reach?.channels ?? 0) > 0;
  const to = (path: string, name: "testChannel" | `${"channel" | "person" | "page"}Action`): Action[] => [
    { to: path, label: t(`dashboard.steps.${name}`) },
  ];
  const toChannel = hasChannel ? to(paths.notifications, "testChannel") : to(paths.channelCreate, "channelAction");
  const steps = [
    { name: "monitor", isDone: hasTargets(dashboard), actions: useAddTargets() },
    { name: "channel", isDone: reach && reach.tested > 0, actions: toChannel },
    { name: "person", isDone: setup?.hasSecondUser, actions: to(`${paths.users}?invite=new`, "personAction") },
    { name: "page", isDone: setup?.hasPage, actions: to(paths.statusConfig, "pageAction") },
  ] as const;
  return steps.flatMap(({ isDone, ...step }) => {
    if (isDone === undefined) return [];
    const isUntested = step.name === "channel" && hasChannel;
    const text = t(isUntested ? "dashboard.steps.untested" : `dashboard.steps.${step.name}Text`);
    return { ...step, isDone, text };
  });
}

function Actions({ actions, isNext }: { actions: readonly Action[]; isNext: boolean }) {
  return actions.map(({ to, label }, index) => (
    <ButtonLink key={to} to={to} variant={isNext && index === 0 ? "primary" : "secondary"}>
      {label}
    </ButtonLink>
  ));
}

type FirstStepsProps = { dashboard: Dashboard; first: FirstStepsState; isEmpty: boolean };

/** The steps that remain, until all are done or the user hides them. */
export function FirstSteps({ dashboard, first, isEmpty }: FirstStepsProps) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const steps = useSteps(dashboard, first);
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  // The last tick stays visible, so that nothing moves.
  const [wasDone] = useState(next === undefined);
  const { hide, count } = first;
  const isOver = wasDone && done === count;
  useEffect(() => {
    if (isOver) hide(true);
  }, [isOver, hide]);
  if (wasDone) return null;
  function dismiss() {
    hide(true);
    offerUndo(t("dashboard.steps.hidden"), async () => ({ error: hide(false) }));
  }
  return (
    <Card
      flush
      title={
        <>
          {t(isEmpty ? "dashboard.empty.title" : "dashboard.steps.title")}{" "}
          <span className="tnum text-[13px] font-normal text-muted">
            {t("dashboard.steps.progress", { done, total: steps.length })}
          </span>
        </>
      }
      actions={
        <Button size="sm" variant="ghost" onClick={dismiss}>
          {t("dashboard.steps.hide")}
        </Button>
      }
    >
      <ol className="divide-y divide-line">
        {steps.map((step) => (
          <StepRow key={step.name} step={step} isNext={step === next} />
        ))}
      </ol>
    </Card>
  );
}

type StepRowProps = { step: ReturnType<typeof useSteps>[number]; isNext: boolean };

function StepRow({ step: { name, isDone, text, actions }, isNext }: StepRowProps) {
  const { t } = useTranslation();
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] items-center gap-x-3 gap-y-2 px-4 py-3 md:grid-cols-[1.25rem_minmax(0,1fr)_auto] md:px-5">
      <span
        className={cx(
          "flex size-5 items-center justify-center rounded-full border",
          isDone ? "border-up/45 bg-up-soft text-up-ink" : "border-line-strong",
        )}
      >
        {isDone && <CheckIcon className="size-3" />}
      </span>
      <div className="min-w-0">
        <h3 className={cx("font-medium", isDone && "text-muted")}>
          {t(`dashboard.steps.${name}`)}
          {isDone && <span className="sr-only"> – {t("dashboard.steps.done")}</span>}
        </h3>
        {!isDone && <p className="text-[13px] text-muted">{text}</p>}
      </div>
      {!isDone && (
        <div className="flex flex-wrap gap-2 max-md:col-start-2">
          <Actions actions={actions} isNext={isNext} />
        </div>
      )}
    </li>
  );
}

/** For viewers, and users who have hidden the first steps. */
export function NothingYet() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const actions = useAddTargets();
  return (
    <Card>
      <EmptyState
        icon={<PulseIcon />}
        title={t("dashboard.empty.title")}
        action={mayChange && <Actions actions={actions} isNext />}
      >
        {t("dashboard.empty.text")}
      </EmptyState>
    </Card>
  );
}

/** Warns if alerts of the existing monitors or agents reach no channel. */
export function NobodyNotified({ dashboard, first }: Omit<FirstStepsProps, "isEmpty">) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { monitors, agents } = dashboard;
  const { reach, setup } = first;
  if (reach === undefined) return null;
  const isMissing = ((monitors?.total ?? 0) > 0 && !reach.monitors) || ((agents?.total ?? 0) > 0 && !reach.agents);
  const hasChannel = reach.channels > 0;
  // The first steps say it too.
  if (!isMissing || (setup !== undefined && !hasChannel)) return null;
  const to = hasChannel ? paths.notificationSettings : paths.channelCreate;
  return (
    <Alert
      kind="error"
      action={
        mayChange && (
          <ButtonLink to={to} size="sm">
            {t(hasChannel ? "dashboard.nobody.settings" : "dashboard.steps.channelAction")}
          </ButtonLink>
        )
      }
    >
      <p className="font-medium">{t("dashboard.nobody.title")}</p>
      <p>{t(hasChannel ? "dashboard.nobody.unused" : "dashboard.nobody.noChannel")}</p>
    </Alert>
  );
}
