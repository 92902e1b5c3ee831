import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { Card, Entry } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CheckIcon, DashIcon, WarnIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import { Until } from "../../ui/until.tsx";
import type { Story } from "./api.ts";
import { DeferredUntil } from "./timeline-card.tsx";

export function NotifiedCard({ story }: { story: Story }) {
  const { t } = useTranslation();
  const { incident, channels, notChosen, unavailable = [] } = story;
  const { type, id, name } = incident.target;
  return (
    <Card title={t("incident.told")}>
      {unavailable.includes("notifications") ? (
        <p className="text-muted">{t("incident.away")}</p>
      ) : (
        <>
          {incident.closedAt === undefined && <NextReminder story={story} />}
          {channels.length === 0 && (
            <p className="flex items-start gap-2 text-warn-ink">
              <WarnIcon className="mt-1 size-4" />
              {t("incident.toldNobody")}
            </p>
          )}
          <ul className="flex flex-col gap-3">
            {channels.map(({ channelId, channelName, told, text, heldUntil }) => {
              const Icon = told ? CheckIcon : DashIcon;
              return (
                <li key={channelId} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5">
                  <Icon className={cx("mt-1 size-4", told ? "text-up-ink" : "text-muted")} />
                  <div className="min-w-0">
                    <p className="font-medium">{channelName}</p>
                    <p className="text-[13px] text-muted">{text}</p>
                    {heldUntil !== undefined && <DeferredUntil at={heldUntil} />}
                  </div>
                </li>
              );
            })}
          </ul>
          {notChosen !== undefined && notChosen.count > 0 && (
            <p className="mt-3 text-[13px] text-muted">{notChosen.text}</p>
          )}
        </>
      )}
      <p className="mt-3 border-t border-line pt-3">
        <Link
          to={paths.targetNotifications(type, id)}
          className="inline-flex min-h-6 items-center text-[13px] text-accent-strong hover:underline"
        >
          {t("incident.settings", { name })}
        </Link>
      </p>
    </Card>
  );
}

function NextReminder({ story: { incident, channels, nextReminderAt, reminderDeferredBy: reason } }: { story: Story }) {
  const { t } = useTranslation();
  const isSent = channels.some(({ told }) => told);
  const why = incident.acknowledgedAt !== undefined ? "Acknowledged" : isSent ? "Off" : "Unsent";
  return (
    <dl className="mb-3 border-b border-line pb-3">
      <Entry name={t("incident.nextReminder")}>
        {reason !== undefined ? (
          <>
            {t(`incident.reminderAfter.${reason}`)}
            {nextReminderAt !== undefined && t("incident.reminderAt")}
            {nextReminderAt !== undefined && <Until at={nextReminderAt} />}
          </>
        ) : nextReminderAt === undefined ? (
          t(`incident.reminder${why}`)
        ) : (
          <>
            <Time at={nextReminderAt} relative />{" "}
            <span className="text-[13px] text-faint">
              <Time at={nextReminderAt} short />
            </span>
          </>
        )}
      </Entry>
    </dl>
  );
}
