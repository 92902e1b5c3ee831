import { deferralReasons } from "@sonde/proto/http/incidents/alerts";
import type { UnsentAlert } from "@sonde/proto/http/notifications/deliveries";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../lists/data-table.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { DashIcon, PauseIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";
import { TargetLinks } from "./columns.tsx";

export function useUnsentColumns(): Column<UnsentAlert>[] {
  const { t } = useTranslation();
  return [
    {
      head: t("deliveries.time"),
      from: "md",
      className: "whitespace-nowrap text-muted",
      cell: ({ at }) => <Time at={at} short />,
    },
    {
      head: t("unsent.reason"),
      className: "w-full py-2.5",
      cell: (alert) => (
        <>
          <TargetLinks {...alert} />
          <span className="block text-[13px] break-words text-muted">{alert.text}</span>
          <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted md:hidden">
            <Outcome alert={alert} />
            <Time at={alert.at} short />
          </span>
        </>
      ),
    },
    {
      head: t("deliveries.status"),
      from: "md",
      className: "whitespace-nowrap",
      cell: (alert) => <Outcome alert={alert} />,
    },
  ];
}

function Outcome({ alert: { reason, heldUntil } }: { alert: UnsentAlert }) {
  const { t } = useTranslation();
  if (!deferralReasons.some((each) => each === reason)) return <Badge icon={DashIcon}>{t("unsent.skipped")}</Badge>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone="warn" icon={PauseIcon}>
        {t("unsent.deferred")}
      </Badge>
      {heldUntil !== undefined && (
        <span className="text-[13px] text-muted">
          {t("unsent.until")} <Time at={heldUntil} short />
        </span>
      )}
    </span>
  );
}
