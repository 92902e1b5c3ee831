import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { RowActions } from "../../../lists/row-actions.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { ChannelIcon } from "../../../ui/channel-icon.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { Time } from "../../../ui/time.tsx";
import { useUpdateChannelMutation } from "../api.ts";
import { deliveriesAddress } from "../deliveries/list.ts";
import { ChannelHealth, HealthBadge } from "./channel-health.tsx";
import { ChannelUse } from "./channel-use.tsx";
import { TestPanel, useChannelTest } from "./test-panel.tsx";

type ChannelCardProps = { channel: NotificationChannel; onDelete: () => void };

/** A channel: what and how it is, where it is used, its last message, and what can be done with it. */
export function ChannelCard({ channel, onDelete }: ChannelCardProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [runTest, { isLoading: testing }] = useChannelTest(channel.id);
  const { id, name, type, lastDelivery } = channel;
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
        <Link
          to={deliveriesAddress({ channel: id })}
          aria-label={`${t("channels.history")}: ${name}`}
          className="inline-flex min-h-6 items-center underline decoration-line-strong hover:text-ink"
        >
          {t("channels.history")}
        </Link>
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
          <RowActions name={name} editAt={paths.channelEdit(id)} onDelete={onDelete} />
        </footer>
      )}
    </article>
  );
}

/** On or off, saved at once. It shows what is meant while the answer is on its way, and what holds after a failure. */
function EnabledSwitch({ channel: { id, name, enabled } }: { channel: NotificationChannel }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [update, { isLoading, originalArgs, error }] = useUpdateChannelMutation();
  const [shownError, setShownError] = useState<unknown>(undefined);
  const shown = isLoading ? (originalArgs?.patch.enabled ?? enabled) : enabled;
  return (
    <div className="flex flex-col items-end gap-1">
      <Switch
        // The label is for screen readers only: no room is kept for it.
        className="-mr-3"
        label={<span className="sr-only">{t("channels.enabledOf", { name })}</span>}
        checked={shown}
        disabled={!mayChange || isLoading}
        onChange={({ target }) => void update({ id, patch: { enabled: target.checked } })}
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
