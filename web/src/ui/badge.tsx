import type { ComponentType, ReactNode } from "react";
import { cx } from "./cx.ts";
import { useTranslation } from "react-i18next";
import { CheckIcon, CrossIcon, DashIcon, PauseIcon, PendingIcon, WarnIcon, WrenchIcon, EyeIcon } from "./icons.tsx";
import type { AgentStatus } from "@sonde/proto/http/agents/agents";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { Incident } from "@sonde/proto/http/incidents/incidents";

const tones = {
  plain: "border-line bg-sunken text-muted",
  accent: "border-accent/35 bg-accent-soft text-accent-strong",
  up: "border-up/40 bg-up-soft text-up-ink",
  warn: "border-warn/55 bg-warn-soft text-warn-ink",
  down: "border-down/45 bg-down-soft text-down-ink",
  maintenance: "border-maintenance/45 bg-maintenance-soft text-maintenance-ink",
};

type BadgeProps = {
  tone?: keyof typeof tones;
  icon?: ComponentType<{ className?: string }>;
  className?: string | undefined;
  children: ReactNode;
};
export type BadgeLook = Pick<BadgeProps, "tone" | "icon">;

export function Badge({ tone = "plain", icon: Icon, className, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex min-h-5 max-w-full items-center gap-1 rounded-sm border px-1.5 text-[12px] leading-5 font-medium",
        tones[tone],
        className,
      )}
    >
      {Icon !== undefined && <Icon className="size-3" />}
      {children}
    </span>
  );
}

export const shownStates = ["up", "slow", "partial", "down", "pending", "paused", "noData"] as const;
/** Displayed state of a monitor. `noData` if its last result is too old; `slow` and `partial` (a group) if it is up. */
export type ShownState = (typeof shownStates)[number];

/** Lists show "up" and "down", details "normal" and "failure". */
export type StatusWording = "list" | "detail";

type Look = { icon: ComponentType<{ className?: string }>; className: string };
const well: Look = { icon: CheckIcon, className: "bg-up-soft text-up-ink border-up/40" };
const bad: Look = { icon: CrossIcon, className: "bg-down-soft text-down-ink border-down/45" };
const waiting: Look = { icon: PendingIcon, className: "bg-idle-soft text-idle-ink border-idle/45" };
const worse: Look = { icon: WarnIcon, className: "bg-warn-soft text-warn-ink border-warn/55" };
const looks: Record<ShownState | AgentStatus, Look> = {
  up: well,
  slow: worse,
  partial: worse,
  online: well,
  down: bad,
  offline: bad,
  pending: waiting,
  connecting: waiting,
  paused: { ...waiting, icon: PauseIcon },
  noData: { icon: DashIcon, className: "hatched text-idle-ink border-idle/60" },
};

type MonitorFacts = { status: MonitorStatus; stale: boolean; slow?: boolean; state?: string | undefined };

/** Returns the displayed state. A stale status counts as no data, unless the monitor is paused. */
export function shownState({ status, stale, slow = false, state }: MonitorFacts): ShownState {
  if (stale && status !== "paused") return "noData";
  if (status !== "up") return status;
  return state === "partial" ? "partial" : slow ? "slow" : "up";
}

/** State of a monitor as icon and word, never by colour only. */
export function StatusBadge({ state, wording = "list" }: { state: ShownState; wording?: StatusWording }) {
  const { t } = useTranslation();
  return (
    <StatePill state={state}>
      {/* A plain background, because hatching behind the text would reduce contrast. */}
      <span className={state === "noData" ? "rounded-sm bg-surface/85 px-1" : undefined}>
        {t(`status.${wording}.${state}`)}
      </span>
    </StatePill>
  );
}

export function AgentBadge({ status, wording = "list" }: { status: AgentStatus; wording?: "list" | "card" }) {
  const { t } = useTranslation();
  return (
    <StatePill state={status} className="shrink-0">
      {wording === "card" ? t(`agents.cardStatuses.${status}`) : t(`agents.statuses.${status}`)}
    </StatePill>
  );
}

/** State as an icon only, for rows without room. Screen readers and the tooltip get the word. */
export function StateMark({ state }: { state: ShownState }) {
  const { t } = useTranslation();
  const { icon: Icon, className } = looks[state];
  const word = t(`status.list.${state}`);
  return (
    <span
      data-state={state}
      title={word}
      className={cx("inline-flex size-6 shrink-0 items-center justify-center rounded-full border", className)}
    >
      <Icon className="size-3.5" />
      <span className="sr-only">{word}</span>
    </span>
  );
}

type StatePillProps = { state: ShownState | AgentStatus; className?: string; children: ReactNode };

function StatePill({ state, className, children }: StatePillProps) {
  const { icon: Icon, className: look } = looks[state];
  return (
    <span
      data-state={state}
      className={cx(
        "inline-flex h-6 items-center gap-1 rounded-full border pr-2.5 pl-1.5 text-[13px] font-medium whitespace-nowrap",
        look,
        className,
      )}
    >
      <Icon className="size-3.5" />
      {children}
    </span>
  );
}

export function MaintenanceBadge({ when }: { when: true | undefined }) {
  const { t } = useTranslation();
  if (when !== true) return null;
  return (
    <Badge tone="maintenance" className="shrink-0 whitespace-nowrap">
      <WrenchIcon className="size-3" />
      {t("cells.maintenance")}
    </Badge>
  );
}

/** Swatch of the maintenance stripes with the word, for legends and tooltips. */
export function MaintenanceMark({ className }: { className?: string }) {
  const { t } = useTranslation();
  return (
    <span className={cx("inline-flex items-center gap-1.5", className)}>
      <span aria-hidden="true" className="striped h-2.5 w-4 shrink-0 rounded-[2px]" />
      {t("cells.maintenance")}
    </span>
  );
}

type Shown = Pick<Incident, "kind" | "closedAt" | "resolution" | "acknowledgedAt" | "severity">;

export function IncidentBadge({ incident, className }: { incident: Shown; className?: string }) {
  const { t } = useTranslation();
  const { kind, closedAt, resolution, acknowledgedAt, severity } = incident;
  const isOpen = closedAt === undefined && acknowledgedAt === undefined;
  const mark = kind === "stale" ? DashIcon : kind === "slow" || kind === "slo" ? WarnIcon : CrossIcon;
  const Icon = closedAt !== undefined ? CheckIcon : isOpen ? mark : EyeIcon;
  const isGrave = kind === "external" ? severity === "critical" : !["stale", "slow", "slo"].includes(kind);
  const tone = closedAt !== undefined ? "plain" : isOpen && isGrave ? "down" : "warn";
  return (
    <Badge tone={tone} className={className}>
      <Icon className="size-3" />
      {isOpen
        ? t("incidents.ongoing")
        : closedAt === undefined
          ? t("incidents.acknowledged")
          : resolution === undefined
            ? t("incidents.resolved")
            : t(`incidents.resolution.${resolution}`)}
    </Badge>
  );
}
