import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { IncidentList } from "../../ui/health/incident-list.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { Dashboard } from "./live.ts";
import { Unavailable } from "./unavailable.tsx";

/** The incidents that ended last. */
export function EndedCard({ dashboard: { ended, incidents, unavailable } }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const isPartial = unavailable?.includes("ended") === true;
  return (
    <Card
      title={t("dashboard.ended")}
      flush
      actions={
        <ButtonLink to={`${paths.incidents}?open=false&sort=-closedAt`} variant="ghost" size="sm">
          {t("dashboard.allEnded")}
        </ButtonLink>
      }
    >
      {ended === null || (ended.length === 0 && isPartial) ? (
        <div className="p-5">
          <Unavailable />
        </div>
      ) : ended.length === 0 ? (
        incidents === 0 ? (
          <EmptyState icon={<CheckIcon />} title={t("dashboard.noIncidents")} className="py-9">
            {t("dashboard.noIncidentsText")}
          </EmptyState>
        ) : (
          <p className="p-5 text-muted">{t("dashboard.noneEnded")}</p>
        )
      ) : (
        <>
          {isPartial && <p className="px-5 pt-4 text-muted">{t("dashboard.recentPartial")}</p>}
          <IncidentList incidents={ended} pageOf={paths.incident} named />
        </>
      )}
    </Card>
  );
}
