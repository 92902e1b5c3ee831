import type { ChannelState, NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useTranslation } from "react-i18next";
import { formatRelative } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { cx } from "../../../ui/cx.ts";
import { ProviderAnswer } from "../provider-answer.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { CheckIcon, CrossIcon, DashIcon, PauseIcon, PendingIcon, WarnIcon } from "../../../ui/icons.tsx";

const looks = {
  works: { tone: "up", icon: CheckIcon },
  untried: { tone: "plain", icon: DashIcon },
  waiting: { tone: "plain", icon: PendingIcon },
  failing: { tone: "warn", icon: WarnIcon },
  failed: { tone: "warn", icon: WarnIcon },
  broken: { tone: "down", icon: CrossIcon },
  off: { tone: "plain", icon: PauseIcon },
} as const;

/** A channel that its provider refused is broken even while it is off, because switching it on would not help. */
function healthOf({ enabled, refusal, waiting, ...channel }: NotificationChannel): keyof typeof looks {
  if (refusal !== undefined) return "broken";
  if (!enabled) return "off";
  const state = channel.state ?? stateOf(channel);
  if (state === "failing") return waiting === undefined ? "failed" : "failing";
  return state === "untried" && waiting !== undefined ? "waiting" : state;
}

/** The previous version of the notifier sends no state. */
function stateOf({ lastDelivery }: Pick<NotificationChannel, "lastDelivery">): ChannelState {
  if (lastDelivery === undefined) return "untried";
  return lastDelivery.status === "delivered" ? "works" : "failing";
}

export function failingFirst(channels: readonly NotificationChannel[]): NotificationChannel[] {
  const rankOf = (channel: NotificationChannel) => ["broken", "failing", "failed"].indexOf(healthOf(channel));
  const failing = channels.filter((channel) => rankOf(channel) >= 0);
  return [
    ...failing.toSorted((one, other) => rankOf(one) - rankOf(other)),
    ...channels.filter((one) => rankOf(one) < 0),
  ];
}

export function HealthBadge({ channel }: { channel: NotificationChannel }) {
  const { t } = useTranslation();
  const health = healthOf(channel);
  return <Badge {...looks[health]}>{t(`channels.health.${health}`)}</Badge>;
}

export function ChannelHealth({ channel }: { channel: NotificationChannel }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  const { refusal, waiting } = channel;
  const isRefused = refusal !== undefined;
  const failure = refusal ?? (healthOf(channel) === "failing" ? waiting?.failure : undefined);
  if (failure === undefined) return null;
  const when = formatRelative(failure.at, nowMs, i18n.language);
  return (
    <div className={cx("rounded-md border px-3 py-2 text-[13px]", isRefused ? refused : retried)}>
      <p>
        {t(isRefused ? "channels.health.refusedAt" : "channels.health.failedAt", { when })}{" "}
        <ProviderAnswer text={failure.answer} />
      </p>
      {isRefused && <p>{t("channels.health.brokenHint")}</p>}
      {waiting !== undefined && <p>{t("channels.health.messagesWait", { count: waiting.messages })}</p>}
    </div>
  );
}

const refused = "border-down/45 bg-down-soft text-down-ink";
const retried = "border-warn/55 bg-warn-soft text-warn-ink";
