import type { NotificationSettings } from "@sonde/proto/http/notification-settings";
import { useTranslation } from "react-i18next";
import { formatSpan } from "../../../lib/format.ts";

/** Settings in one line. */
export function useSummary({ enabled, channels, cooldownMinutes, quietHours }: NotificationSettings): string {
  const { t, i18n } = useTranslation();
  if (!enabled) return t("notificationSettings.summaryOff");
  const span = formatSpan(cooldownMinutes * 60_000, i18n.language);
  return [
    t("notificationSettings.summaryChannels", { count: channels.length }),
    cooldownMinutes === 0
      ? t("notificationSettings.summaryNoReminder")
      : t("notificationSettings.summaryReminder", { span }),
    ...(quietHours ? [t("notificationSettings.summaryQuiet", quietHours)] : []),
  ].join(" · ");
}
