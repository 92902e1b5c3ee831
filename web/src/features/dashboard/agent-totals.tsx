import type { AgentCounts } from "@sonde/proto/http/dashboard";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { formatNumber } from "../../lib/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CheckIcon, CrossIcon, PendingIcon } from "../../ui/icons.tsx";

const states = [
  { status: "offline", ink: "text-down-ink", icon: CrossIcon },
  { status: "online", ink: "text-up-ink", icon: CheckIcon },
  { status: "connecting", ink: "text-idle-ink", icon: PendingIcon },
] as const;

/** How many agents there are, and in which state; each count leads to its list. */
export function AgentTotals({ agents }: { agents: AgentCounts }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  return (
    <Card
      title={
        <>
          {t("dashboard.agents.title")} <span className="tnum font-normal text-muted">{number(agents.total)}</span>
        </>
      }
      actions={
        <ButtonLink to={paths.agents} variant="ghost" size="sm">
          {t("dashboard.agents.viewAll")}
        </ButtonLink>
      }
    >
      <ul className="flex flex-wrap gap-x-6 gap-y-1">
        {states.map(({ status, ink, icon: Icon }) => (
          <li key={status}>
            <Link
              to={`${paths.agents}?status=${status}`}
              className="inline-flex min-h-8 items-center gap-1.5 rounded-sm hover:underline"
            >
              <Icon className={cx("size-3.5", ink)} />
              <span className="text-muted">{t(`dashboard.agents.${status}`)}</span>{" "}
              <span className="tnum font-semibold">{number(agents[status])}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
