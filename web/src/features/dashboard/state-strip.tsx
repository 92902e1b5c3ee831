import type { MonitorCounts } from "@sonde/proto/http/dashboard";
import type { MonitorFilter } from "@sonde/proto/http/monitors/monitors";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { formatNumber } from "../../lib/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CheckIcon, CrossIcon, DashIcon, PauseIcon, PendingIcon } from "../../ui/icons.tsx";
import { Unavailable } from "./unavailable.tsx";

const states = [
  { status: "down", bar: "bg-down", ink: "text-down-ink", icon: CrossIcon },
  { status: "stale", bar: "hatched", ink: "text-idle-ink", icon: DashIcon },
  { status: "up", bar: "bg-up", ink: "text-up-ink", icon: CheckIcon },
  { status: "pending", bar: "bg-idle", ink: "text-idle-ink", icon: PendingIcon },
  { status: "paused", bar: "hatched", ink: "text-idle-ink", icon: PauseIcon },
] as const satisfies readonly {
  status: Exclude<MonitorFilter, "active" | "expiring">;
  bar: string;
  ink: string;
  icon: ComponentType<{ className?: string }>;
}[];

/** The monitors by state, or that they are not known just now. */
export function StatesCard({ counts }: { counts: MonitorCounts | null }) {
  const { t } = useTranslation();
  return (
    <Card
      title={t("dashboard.states")}
      actions={
        <ButtonLink to={paths.monitors} variant="ghost" size="sm">
          {t("dashboard.viewAll")}
        </ButtonLink>
      }
    >
      {counts === null ? <Unavailable /> : <StateStrip counts={counts} />}
    </Card>
  );
}

/** How many monitors are in which state: one bar in proportion, and a link to each state's list. */
function StateStrip({ counts }: { counts: MonitorCounts }) {
  const { t, i18n } = useTranslation();
  return (
    <div>
      <div aria-hidden="true" className="flex h-3 gap-[2px] overflow-hidden rounded-sm bg-sunken">
        {states
          .filter(({ status }) => counts[status] > 0)
          .map(({ status, bar }) => (
            <span key={status} style={{ flexGrow: counts[status] }} className={cx("min-w-1 rounded-[2px]", bar)} />
          ))}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1">
        {states.map(({ status, ink, icon: Icon }) => (
          <li key={status}>
            <Link
              to={`${paths.monitors}?status=${status}`}
              className="inline-flex min-h-8 items-center gap-1.5 rounded-sm hover:underline"
            >
              <Icon className={cx("size-3.5", ink)} />
              <span className="text-muted">{t(`status.list.${status === "stale" ? "noData" : status}`)}</span>{" "}
              <span className="tnum font-semibold">{formatNumber(counts[status], i18n.language)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
