import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "./cx.ts";
import { CheckIcon, CrossIcon, DashIcon, PauseIcon, PendingIcon } from "./icons.tsx";

export const shownStates = ["up", "down", "pending", "paused", "noData"] as const;
/** What a monitor is shown as; `noData` where its last result is too old to count. */
export type ShownState = (typeof shownStates)[number];

/** Lists show up and down, details normal and failure. */
export type StatusWording = "list" | "detail";

const looks: Record<ShownState, { icon: ComponentType<{ className?: string }>; className: string }> = {
  up: { icon: CheckIcon, className: "bg-up-soft text-up-ink border-up/40" },
  down: { icon: CrossIcon, className: "bg-down-soft text-down-ink border-down/45" },
  pending: { icon: PendingIcon, className: "bg-idle-soft text-idle-ink border-idle/45" },
  paused: { icon: PauseIcon, className: "bg-idle-soft text-idle-ink border-idle/45" },
  noData: { icon: DashIcon, className: "hatched text-idle-ink border-idle/60" },
};

/** What to show for a status that may be stale: what is not paused and was not checked is no data. */
export function shownState(status: Exclude<ShownState, "noData">, stale: boolean): ShownState {
  return stale && status !== "paused" ? "noData" : status;
}

/** A state as icon and word, never by colour alone. */
export function StatusBadge({ state, wording = "list" }: { state: ShownState; wording?: StatusWording }) {
  const { t } = useTranslation();
  const { icon: Icon, className } = looks[state];
  return (
    <span
      data-state={state}
      className={cx(
        "inline-flex h-6 items-center gap-1 rounded-full border pr-2.5 pl-1.5 text-[13px] font-medium whitespace-nowrap",
        className,
      )}
    >
      <Icon className="size-3.5" />
      {/* The word has a plain background: hatching behind text would cost contrast. */}
      <span className={state === "noData" ? "rounded-sm bg-surface/85 px-1" : undefined}>
        {t(`status.${wording}.${state}`)}
      </span>
    </span>
  );
}
