import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import type { Story } from "./api.ts";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CheckIcon, DashIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";

/** Why each channel was, or was not, notified. */
export function NotifiedCard({ story: { incident, channels, unavailable = [] } }: { story: Story }) {
  const { t } = useTranslation();
  const { type, id } = incident.target;
  return (
    <Card title={t("incident.told")}>
      {unavailable.includes("notifications") ? (
        <p className="text-muted">{t("incident.away")}</p>
      ) : channels.length === 0 ? (
        <p className="text-muted">{t("incident.toldNobody")}</p>
      ) : (
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
      )}
      <p className="mt-3 border-t border-line pt-3">
        <Link
          to={paths.targetNotifications(type, id)}
          className="inline-flex min-h-6 items-center text-[13px] text-accent-strong hover:underline"
        >
          {t("incident.settings", { name: incident.target.name })}
        </Link>
      </p>
    </Card>
  );
}

/** When a deferred alert is decided again. */
export function DeferredUntil({ at }: { at: string }) {
  const { t } = useTranslation();
  return (
    <p className="text-[13px] text-muted">
      {t("incident.heldUntil")} <Time at={at} />
    </p>
  );
}
