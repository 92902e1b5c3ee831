import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useTranslation } from "react-i18next";
import { formatRelative } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { ProviderAnswer } from "../provider-answer.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { CheckIcon, CrossIcon, DashIcon, PauseIcon } from "../../../ui/icons.tsx";

const looks = {
  works: { tone: "up", icon: CheckIcon },
  untried: { tone: "plain", icon: DashIcon },
  broken: { tone: "down", icon: CrossIcon },
  off: { tone: "plain", icon: PauseIcon },
} as const;

/** A refused channel shows it even while it is off: switching it on would not help. */
function healthOf({ enabled, healthy, lastDelivery }: NotificationChannel): keyof typeof looks {
  if (!healthy) return "broken";
  if (!enabled) return "off";
  return lastDelivery === undefined ? "untried" : "works";
}

export function HealthBadge({ channel }: { channel: NotificationChannel }) {
  const { t } = useTranslation();
  const health = healthOf(channel);
  return <Badge {...looks[health]}>{t(`channels.health.${health}`)}</Badge>;
}

/** The provider's last refusal, and what to do about it. Nothing where it refused nothing. */
export function ChannelHealth({ channel: { healthy, refusal } }: { channel: NotificationChannel }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  if (healthy && refusal === undefined) return null;
  return (
    <div className="rounded-md border border-down/45 bg-down-soft px-3 py-2 text-[13px] text-down-ink">
      {refusal !== undefined && (
        <p>
          {t("channels.health.refusedAt", { when: formatRelative(refusal.at, nowMs, i18n.language) })}{" "}
          <ProviderAnswer text={refusal.answer} />
        </p>
      )}
      {!healthy && <p>{t("channels.health.brokenHint")}</p>}
    </div>
  );
}
