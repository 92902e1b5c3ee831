import type { MonitorSettings } from "@sonde/proto/http/notifications/settings";
import { useEffect, useEffectEvent } from "react";
import { useController, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import {
  type AllSettings,
  useChannelsInForceQuery,
  useSettingsInForceQuery,
} from "../../../entities/notifications/api.ts";
import { ChannelChoice } from "../../../entities/notifications/channel-choice.tsx";
import { lockOf } from "../../../entities/managed/managed-badge.tsx";
import { ChannelNames } from "../../../entities/notifications/audience.tsx";
import { paths } from "../../../app/paths.ts";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { Locked } from "../../../ui/field.tsx";
import { ErrorState, Skeleton } from "../../../ui/states.tsx";
import { useResetMonitorSettingsMutation, useSaveMonitorSettingsMutation } from "../api.ts";
import type { FormValues } from "./form-values.ts";

type Notify = FormValues["notify"];

/**
 * Returns a function that saves a monitor's channels if they changed. It resolves to an error, or `null`. `basis`: the
 * monitor whose other settings a new override copies.
 */
export function useSaveNotify(basis: number | undefined) {
  const { data: all } = useSettingsInForceQuery();
  const [save] = useSaveMonitorSettingsMutation();
  const [remove] = useResetMonitorSettingsMutation();
  return async (id: number, { own, channels }: Notify): Promise<unknown> => {
    const stored = all?.monitors[id];
    if (!own && stored === undefined) return null;
    if (all === undefined) return new Error("notification settings are not loaded");
    if (!own) return (await remove(id)).error ?? null;
    if (stored !== undefined && String(stored.channels) === String(channels)) return null;
    // Only the settings for all monitors have rules.
    const settings = { ...(ownSettings(all, basis) ?? all.globalMonitor), rules: undefined, enabled: true, channels };
    return (await save({ id, settings })).error ?? null;
  };
}

const ownSettings = (all: AllSettings, id: number | undefined): MonitorSettings | undefined =>
  id === undefined ? undefined : all.monitors[id];

type NotifyCardProps = { monitorId: number | undefined; cloneOf: number | undefined };

export function NotifyCard({ monitorId, cloneOf }: NotifyCardProps) {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useSettingsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const { isLoading } = useChannelsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const { getValues, resetField } = useFormContext<FormValues>();
  // Registered here, so that the field exists before its first value.
  const { field } = useController<FormValues, "notify">({ name: "notify" });
  // Keeps what the user typed before the settings arrived or before the session ended.
  const propose = useEffectEvent((all: AllSettings) => {
    const own = ownSettings(all, monitorId ?? cloneOf);
    const typed = getValues("notify");
    if (own !== undefined && !typed.own && typed.channels.length === 0)
      resetField("notify", { defaultValue: { own: true, channels: own.channels } });
  });
  useEffect(() => {
    if (data !== undefined) propose(data);
  }, [data]);
  return (
    <Card title={t("monitorForm.notify")}>
      {/* Rendered together with the channels to avoid layout shifts. */}
      {data !== undefined && !isLoading ? (
        <Locked reason={lockOf(data.managed?.monitors[monitorId ?? 0], "channels", t)}>
          <NotifyChoice
            all={data}
            monitorId={monitorId}
            value={field.value}
            onChange={field.onChange}
            onBlur={field.onBlur}
          />
        </Locked>
      ) : error === undefined || isLoading ? (
        <Skeleton className="h-20 w-full" />
      ) : (
        <ErrorState
          message={errorText(error, "fetchData")}
          onRetry={() => void refetch()}
          retrying={isFetching}
          className="py-4"
        />
      )}
    </Card>
  );
}

const choices = ["global", "own"] as const;

type NotifyChoiceProps = {
  all: AllSettings;
  monitorId: number | undefined;
  value: Notify;
  onChange: (value: Notify) => void;
  onBlur: () => void;
};

function NotifyChoice({ all, monitorId, value, onChange, onBlur }: NotifyChoiceProps) {
  const { t } = useTranslation();
  const { data: channels, error } = useChannelsInForceQuery();
  const { own, channels: chosen } = value;
  const { enabled, channels: global, policyId } = all.globalMonitor;
  const stored = ownSettings(all, monitorId);
  return (
    <div className="flex min-h-20 flex-col items-start gap-3">
      <Segmented
        label={t("monitorForm.notify")}
        value={own ? "own" : "global"}
        onChange={(by) =>
          onChange({ own: by === "own", channels: by === "own" && chosen.length === 0 ? global : chosen })
        }
        options={choices.map((each) => ({ value: each, label: t(`monitorForm.notifyBy.${each}`) }))}
      />
      {own ? (
        <>
          <ChannelChoice
            channels={channels}
            failure={error}
            value={chosen}
            onChange={(next) => onChange({ own, channels: next })}
            onBlur={onBlur}
          />
          {stored === undefined || monitorId === undefined ? (
            <p className="text-[13px] text-faint">{t("monitorForm.notifyOwnHint")}</p>
          ) : (
            <Link
              to={paths.targetNotifications("monitor", monitorId)}
              className="inline-flex min-h-6 items-center text-[13px] text-accent-strong hover:underline"
            >
              {t("alerting.editOwn")}
            </Link>
          )}
        </>
      ) : (
        <div className="flex flex-col gap-1 [&>ul]:flex [&>ul]:flex-wrap [&>ul]:gap-x-5">
          <p className={enabled ? "text-muted" : "text-warn-ink"}>
            {t("alerting.source.monitor")} {!enabled && t("alerting.off")}
          </p>
          {enabled && global.length === 0 && policyId == null && (
            <p className="text-warn-ink">
              {t("alerting.noChannel")}.{" "}
              <Link to={paths.notificationSettings} className="underline">
                {t("alerting.view")}
              </Link>
            </p>
          )}
          {enabled && (global.length > 0 || policyId != null) && (
            <ChannelNames
              ids={global}
              policyId={policyId ?? undefined}
              channels={channels}
              isUnavailable={error !== undefined}
            />
          )}
        </div>
      )}
    </div>
  );
}
