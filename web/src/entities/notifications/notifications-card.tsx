import type { AgentSettings } from "@sonde/proto/http/notifications/settings";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { formatList, formatSpan } from "../../lib/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card, Entry } from "../../ui/card.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { TargetLine } from "../targets/target-line.tsx";
import { type AllSettings, useSettingsInForceQuery } from "./api.ts";
import { AudienceSource, ChannelNames, ownSettings, useAudience } from "./audience.tsx";

type NotificationsCardProps = { target: TargetRef; dependsOn: readonly TargetRef[] };

export default function NotificationsCard({ target, dependsOn }: NotificationsCardProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data, error, isFetching, refetch } = useSettingsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const own = data && ownSettings(data, target.type, target.id);
  return (
    <Card
      title={t("alerting.title")}
      actions={
        <ButtonLink to={paths.targetNotifications(target.type, target.id)} variant="ghost" size="sm">
          {t(mayChange ? (own === undefined ? "alerting.makeOwn" : "alerting.editOwn") : "alerting.view")}
        </ButtonLink>
      }
    >
      {data !== undefined ? (
        <Settings target={target} all={data} />
      ) : error === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <ErrorState
          message={errorText(error, "fetchData")}
          onRetry={() => void refetch()}
          retrying={isFetching}
          className="py-4"
        />
      )}
      <div className="mt-4 border-t border-line pt-4">
        <p className="text-[13px] text-muted">{t("alerting.dependsOn")}</p>
        {dependsOn.length === 0 ? (
          <p>{t("alerting.dependsOnNothing")}</p>
        ) : (
          <ul className="mt-1 flex flex-col gap-1.5">
            {dependsOn.map((each) => (
              <li key={`${each.type}:${each.id}`}>
                <TargetLine target={each} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function Settings({ target, all }: { target: TargetRef; all: AllSettings }) {
  const { t, i18n } = useTranslation();
  const audience = useAudience(all, target);
  if (audience === undefined) return <Skeleton className="h-24 w-full" />;
  const { settings } = audience;
  const { cooldownMinutes, quietHours } = settings;
  const events = Object.entries(settings.events).filter(([, isOn]) => isOn);
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
  const source = <AudienceSource target={target} audience={audience} />;
  if (!settings.enabled) return source;
  return (
    <>
      {source}
      <dl className="mt-3 grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        <Entry name={t("alerting.channels")}>
          <ChannelNames {...audience} />
        </Entry>
        <Entry name={t("alerting.events")}>
          {events.length === 0
            ? t("alerting.noEvent")
            : formatList(
                events.map(([event]) => t(`alerting.event.${event as "down"}`)),
                i18n.language,
              )}
        </Entry>
        {"thresholds" in settings && (
          <Entry name={t("alerting.thresholds")}>
            {list.format(thresholdsOf(settings, t("alerting.thresholdOff")))}
          </Entry>
        )}
        <Entry name={t("alerting.reminders")}>
          {cooldownMinutes === 0
            ? t("alerting.noReminders")
            : t("alerting.reminderEvery", { span: formatSpan(cooldownMinutes * 60_000, i18n.language) })}
        </Entry>
        <Entry name={t("alerting.quietHours")}>
          {quietHours == null
            ? t("alerting.noQuietHours")
            : t("alerting.quietFromTo", { start: quietHours.start, end: quietHours.end, zone: quietHours.timeZone })}
        </Entry>
      </dl>
    </>
  );

  function thresholdsOf({ thresholds }: AgentSettings, off: string): string[] {
    return (["cpu", "memory", "disk"] as const).map((metric) => {
      const percent = thresholds[metric];
      return `${t(`alerting.metric.${metric}`)} ${percent === null ? off : `${percent}%`}`;
    });
  }
}
