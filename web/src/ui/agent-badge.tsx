import type { AgentStatus } from "@sonde/proto/http/agents/agents";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "./cx.ts";
import { CheckIcon, CrossIcon, PendingIcon } from "./icons.tsx";

const looks: Record<AgentStatus, { icon: ComponentType<{ className?: string }>; className: string }> = {
  online: { icon: CheckIcon, className: "bg-up-soft text-up-ink border-up/40" },
  connecting: { icon: PendingIcon, className: "bg-idle-soft text-idle-ink border-idle/45" },
  offline: { icon: CrossIcon, className: "bg-down-soft text-down-ink border-down/45" },
};

/** An agent's state as icon and word. Cards show active and inactive, everything else online and offline. */
export function AgentBadge({ status, wording = "list" }: { status: AgentStatus; wording?: "list" | "card" }) {
  const { t } = useTranslation();
  const { icon: Icon, className } = looks[status];
  return (
    <span
      data-state={status}
      className={cx(
        "inline-flex h-6 shrink-0 items-center gap-1 rounded-full border pr-2.5 pl-1.5 text-[13px] font-medium whitespace-nowrap",
        className,
      )}
    >
      <Icon className="size-3.5" />
      {wording === "card" ? t(`agents.cardStatuses.${status}`) : t(`agents.statuses.${status}`)}
    </span>
  );
}
