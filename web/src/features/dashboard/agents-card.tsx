import type { AgentCounts, WorstAgent } from "@sonde/proto/http/dashboard";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { formatNumber } from "../../lib/format.ts";
import { formatUsage } from "../../lib/measures.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CheckIcon, CrossIcon, PendingIcon } from "../../ui/icons.tsx";
import type { Dashboard } from "./live.ts";
import { Unavailable } from "./unavailable.tsx";

const states = {
  offline: { ink: "text-down-ink", icon: CrossIcon },
  online: { ink: "text-up-ink", icon: CheckIcon },
  connecting: { ink: "text-idle-ink", icon: PendingIcon },
} as const;

/** How many agents there are in which state, each count leading to its list, and the meters of the worst. */
export function AgentsCard({ dashboard: { agents, worstAgents } }: { dashboard: Dashboard }) {
  const { t, i18n } = useTranslation();
  return (
    <Card
      flush
      title={
        <>
          {t("dashboard.agents.title")}{" "}
          {agents !== null && (
            <Link to={paths.agents} className="tnum font-normal text-muted hover:underline">
              {formatNumber(agents.total, i18n.language)}
            </Link>
          )}
        </>
      }
      actions={
        <ButtonLink to={paths.agents} variant="ghost" size="sm">
          {t("dashboard.agents.viewAll")}
        </ButtonLink>
      }
    >
      {agents === null || worstAgents === null ? (
        <div className="p-5">
          <Unavailable />
        </div>
      ) : (
        <>
          <Counts agents={agents} />
          <ul className="divide-y divide-line border-t border-line">
            {worstAgents.map((agent) => (
              <AgentRow key={agent.id} agent={agent} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function Counts({ agents }: { agents: AgentCounts }) {
  const { t, i18n } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 px-4 py-2 md:px-5">
      {(Object.keys(states) as (keyof typeof states)[]).map((status) => {
        const { ink, icon: Icon } = states[status];
        return (
          <li key={status}>
            <Link
              to={`${paths.agents}?status=${status}`}
              className="inline-flex min-h-8 items-center gap-1.5 rounded-sm hover:underline"
            >
              <Icon className={cx("size-3.5", ink)} />
              <span className="text-muted">{t(`dashboard.agents.${status}`)}</span>{" "}
              <span className="tnum font-semibold">{formatNumber(agents[status], i18n.language)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function AgentRow({ agent: { id, name, status, cpu, memory, disk } }: { agent: WorstAgent }) {
  const { t } = useTranslation();
  const { ink, icon: Icon } = states[status];
  const old = status !== "online";
  return (
    <li className="px-4 py-2 md:px-5">
      <span className="flex items-center gap-1.5">
        <Link
          to={paths.agent(id)}
          title={name}
          className="inline-flex min-h-6 min-w-0 items-center font-medium hover:underline"
        >
          <span className="truncate">{name}</span>
        </Link>
        {old && (
          <span className={cx("ml-auto flex shrink-0 items-center gap-1 text-[13px]", ink)}>
            <Icon className="size-3.5" />
            {t(`dashboard.agents.${status}`)}
          </span>
        )}
      </span>
      <span className="mt-1 grid grid-cols-3 gap-3">
        <Meter label={t("dashboard.agents.cpu")} percent={cpu} old={old} />
        <Meter label={t("dashboard.agents.memory")} percent={memory} old={old} />
        <Meter label={t("dashboard.agents.disk")} percent={disk} old={old} />
      </span>
    </li>
  );
}

/** From these percentages on a bar is amber and red; 90 is the default threshold of alerts. */
const warnPercent = 80;
const highPercent = 90;

/** A figure with its name over a thin bar; old ones are pale. */
function Meter({ label, percent, old }: { label: string; percent: number | null; old: boolean }) {
  const { i18n } = useTranslation();
  const value = percent ?? 0;
  const fill = old ? "bg-idle" : value >= highPercent ? "bg-down" : value >= warnPercent ? "bg-warn" : "bg-accent";
  return (
    <span className="min-w-0 text-[12px]">
      <span className="flex justify-between gap-1">
        <span className="truncate text-muted">{label}</span>{" "}
        <span className="tnum font-medium">{formatUsage(percent, i18n.language)}</span>
      </span>
      <span aria-hidden="true" className="mt-0.5 block h-1.5 overflow-hidden rounded-full bg-line/80">
        <span style={{ width: `${value}%` }} className={cx("block h-full rounded-full", fill)} />
      </span>
    </span>
  );
}
