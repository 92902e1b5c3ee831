import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { lockOf, ManagedBadge, managedText } from "../../../entities/managed/managed-badge.tsx";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { paths } from "../../../app/paths.ts";
import { useUndo } from "../../../app/undo.ts";
import { formatDuration } from "../../../lib/format.ts";
import { RowActions } from "../../../lists/row-actions.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { ProviderAnswer } from "../provider-answer.tsx";
import { Button, Spinner } from "../../../ui/button.tsx";
import { ChannelIcon } from "../../../ui/icons/channel-icon.tsx";
import { CrossIcon } from "../../../ui/icons.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { Time } from "../../../ui/time.tsx";
import { useNotificationSettingsQuery, useUpdateChannelMutation } from "../api.ts";
import { deliveriesAddress, deliveryAddress } from "../deliveries/list.ts";
import { ChannelHealth, HealthBadge } from "./channel-health.tsx";
import { useAddToGlobal, useChannelTest } from "./save.ts";

export function ChannelCard({ channel, onDelete }: { channel: NotificationChannel; onDelete: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [runTest, { isLoading: testing }] = useChannelTest(channel.id);
  const { id, name, type, lastDelivery, waiting, managed } = channel;
  return (
    <article
      data-row
      aria-labelledby={`channel-${id}`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <header className="flex items-start gap-3">
        <span className="mt-0.5 grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-muted">
          <ChannelIcon type={type} className="size-5" />
        </span>
        <div className="min-w-0 flex-1">
          <h2 id={`channel-${id}`} className="text-[15px] font-semibold break-words">
            {mayChange ? (
              <Link to={paths.channelEdit(id)} className="hover:underline">
                {name}
              </Link>
            ) : (
              name
            )}
          </h2>
          <p className="text-[13px] text-muted">{t(`channelTypes.${type}.name`)}</p>
        </div>
        <EnabledSwitch channel={channel} />
      </header>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
        <HealthBadge channel={channel} />
        {/* Messages that wait are shown below. */}
        {(lastDelivery !== undefined || waiting === undefined) && (
          <span>
            {t("channels.lastDelivery")}
            {": "}
            {lastDelivery === undefined ? (
              t("channels.never")
            ) : (
              <>
                {t(`deliveries.statuses.${lastDelivery.status}`)} · <Time at={lastDelivery.at} relative />
              </>
            )}
          </span>
        )}
        <Link
          to={deliveriesAddress({ channel: id })}
          aria-label={`${t("channels.history")}: ${name}`}
          className="inline-flex min-h-6 items-center underline decoration-line-strong hover:text-ink"
        >
          {t("channels.history")}
        </Link>
        <ManagedBadge managed={managed} />
      </div>
      <ChannelHealth channel={channel} />
      <ChannelUse channel={channel} />
      <TestPanel channelId={id} />
      {mayChange && (
        <footer className="mt-auto flex items-center justify-between gap-2">
          <Button
            size="sm"
            aria-label={`${t("channels.test.run")}: ${name}`}
            saving={testing}
            savingLabel={t("channels.test.running")}
            onClick={() => void runTest(id)}
          >
            {t("channels.test.run")}
          </Button>
          <RowActions
            name={name}
            editAt={paths.channelEdit(id)}
            onDelete={onDelete}
            deleteRefusal={managedText(managed, t)}
          />
        </footer>
      )}
    </article>
  );
}

function EnabledSwitch({ channel: { id, name, enabled, managed } }: { channel: NotificationChannel }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [update, { isLoading, originalArgs, error }] = useUpdateChannelMutation();
  const [shownError, setShownError] = useState<unknown>(undefined);
  const offerUndo = useUndo();
  async function switchTo(next: boolean) {
    const answer = await update({ id, input: { enabled: next } });
    if (answer.error !== undefined || next) return;
    offerUndo(t("channels.switchedOff", { name }), () => update({ id, input: { enabled: true } }), "saveChannel");
  }
  const lock = lockOf(managed, "enabled", t);
  const shown = isLoading ? (originalArgs?.input.enabled ?? enabled) : enabled;
  return (
    <div className="flex flex-col items-end gap-1">
      <Switch
        // The label is visible only to screen readers, so the margin removes its space.
        className="-mr-3"
        label={<span className="sr-only">{t("channels.enabledOf", { name })}</span>}
        checked={shown}
        disabled={!mayChange || isLoading || lock !== undefined}
        title={lock}
        onChange={({ target }) => void switchTo(target.checked)}
      />
      {error !== undefined && error !== shownError && (
        <Alert kind="error" className="max-w-64">
          <button type="button" className="text-left" onClick={() => setShownError(error)}>
            {errorText(error, "saveChannel")}
          </button>
        </Alert>
      )}
    </div>
  );
}

function ChannelUse({ channel: { id, name } }: { channel: NotificationChannel }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const { data } = useNotificationSettingsQuery();
  const addToGlobal = useAddToGlobal();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  if (data === undefined) return null;
  const { monitors, agents, overrides } = usesOf(id, data);
  const parts = [
    ...(monitors ? [t("channels.use.monitors")] : []),
    ...(agents ? [t("channels.use.agents")] : []),
    ...(overrides > 0 ? [t("channels.use.overrides", { count: overrides })] : []),
  ];
  if (parts.length > 0) {
    const list = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(parts);
    return (
      <p className="text-[13px] text-muted">
        {t("channels.usedBy")} {list}
      </p>
    );
  }
  async function use() {
    setSaving(true);
    setError(undefined);
    await addToGlobal(id).catch(setError);
    setSaving(false);
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-warn/55 bg-warn-soft px-3 py-2 text-[13px] text-warn-ink">
        <p className="min-w-0 flex-1">{t("channels.notUsed")}</p>
        {mayChange && (
          <Button size="sm" saving={saving} aria-label={`${t("channels.useNow")}: ${name}`} onClick={() => void use()}>
            {t("channels.useNow")}
          </Button>
        )}
      </div>
      {error !== undefined && <Alert kind="error">{errorText(error, "saveSettings")}</Alert>}
    </>
  );
}

function usesOf(id: number, { globalMonitor, globalAgent, monitors, agents }: AllSettings) {
  const own = [...Object.values(monitors), ...Object.values(agents)];
  const uses = (settings: NotificationSettings) =>
    [settings, ...(settings.rules ?? [])].some(({ channels }) => channels.includes(id));
  return {
    monitors: uses(globalMonitor),
    agents: uses(globalAgent),
    overrides: own.filter(({ channels }) => channels.includes(id)).length,
  };
}

const outcomes = { delivered: "success", failed: "error", pending: "info" } as const;

function TestPanel({ channelId }: { channelId: number }) {
  const { t } = useTranslation();
  const [, { data, error, isLoading, reset }] = useChannelTest(channelId);
  const close = (
    <button type="button" aria-label={t("common.close")} className="-m-0.5 p-1" onClick={reset}>
      <CrossIcon />
    </button>
  );
  if (isLoading) {
    return (
      <p role="status" className="flex items-start gap-2 rounded-md border border-line bg-sunken px-3 py-2 text-muted">
        <Spinner className="mt-[3px] size-4" />
        {t("channels.test.progress")}
      </p>
    );
  }
  if (error !== undefined) {
    return (
      <Alert kind="error" action={close}>
        {errorText(error, "testChannel")}
      </Alert>
    );
  }
  if (data === undefined) return null;
  return (
    <Alert kind={outcomes[data.delivery.status]} action={close}>
      <TestResult delivery={data.delivery} />
    </Alert>
  );
}

function TestResult({ delivery }: { delivery: Delivery }) {
  const { t, i18n } = useTranslation();
  const attempt = delivery.attempts.at(-1);
  return (
    <>
      <p className="font-medium">{t(`channels.test.${delivery.status}`)}</p>
      {attempt !== undefined && (
        <p className="text-[13px]">
          {t("channels.test.answer")} <ProviderAnswer text={attempt.answer} />
          <span className="tnum">
            {attempt.statusCode !== undefined &&
              attempt.answer !== `HTTP ${attempt.statusCode}` &&
              ` · ${t("deliveries.statusCode", { code: attempt.statusCode })}`}
            {` · ${formatDuration(attempt.durationMs, i18n.language)}`}
          </span>
        </p>
      )}
      <Link to={deliveryAddress(delivery)} className="inline-flex min-h-6 items-center text-[13px] underline">
        {t("channels.test.show")}
      </Link>
    </>
  );
}
