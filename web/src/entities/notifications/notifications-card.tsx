import type { AgentSettings, MonitorSettings } from "@sonde/proto/http/notifications/settings";
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
import { type AllSettings, useChannelsInForceQuery, useSettingsInForceQuery, type Channels } from "./api.ts";

type NotificationsCardProps = { target: TargetRef; dependsOn: readonly TargetRef[] };

export default function NotificationsCard({ target, dependsOn }: NotificationsCardProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data, error, isFetching, refetch } = useSettingsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const own = data && ownSettings(data, target);
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
        <Settings target={target} all={data} own={own} />
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

function ownSettings(all: AllSettings, { type, id }: TargetRef): MonitorSettings | AgentSettings | undefined {
  return (type === "agent" ? all.agents : all.monitors)[String(id)];
}

type SettingsProps = { target: TargetRef; all: AllSettings; own: MonitorSettings | AgentSettings | undefined };

function Settings({ target, all, own }: SettingsProps) {
  const { t, i18n } = useTranslation();
  const { data: channels, error } = useChannelsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const settings = own ?? (target.type === "agent" ? all.globalAgent : all.globalMonitor);
  const { cooldownMinutes, quietHours } = settings;
  const events = Object.entries(settings.events).filter(([, isOn]) => isOn);
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
  const source = own === undefined ? t(`alerting.source.${target.type}`) : t("alerting.source.own");
  if (!settings.enabled) {
    return (
      <p>
        {source} {t("alerting.off")}
      </p>
    );
  }
  return (
    <>
      <p>{source}</p>
      <dl className="mt-3 grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        <Entry name={t("alerting.channels")}>
          {settings.channels.length === 0 ? (
            <span className="text-warn-ink">{t("alerting.noChannel")}</span>
          ) : (
            <ChannelNames ids={settings.channels} channels={channels} isUnavailable={error !== undefined} />
          )}
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

type ChannelNamesProps = {
  ids: readonly number[];
  channels: Channels | undefined;
  isUnavailable: boolean;
};

function problemOf({ enabled, healthy, state }: Channels[number]) {
  if (!enabled) return "channelOff";
  if (!healthy) return "channelBroken";
  return state === "failing" ? "channelFailing" : undefined;
}

/** Names of channels. Channels that cannot deliver at present are marked. */
export function ChannelNames({ ids, channels, isUnavailable }: ChannelNamesProps) {
  const { t } = useTranslation();
  if (channels === undefined) return isUnavailable ? t("alerting.channelCount", { count: ids.length }) : "…";
  return (
    <ul>
      {ids.map((id) => {
        const channel = channels.find((each) => each.id === id);
        if (channel === undefined) return null;
        const { name } = channel;
        const problem = problemOf(channel);
        return (
          <li key={id}>
            {name}
            {problem !== undefined && <span className="text-warn-ink"> · {t(`alerting.${problem}`)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
