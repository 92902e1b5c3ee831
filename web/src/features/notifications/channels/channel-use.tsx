import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AllSettings } from "../../../app/notifications/api.ts";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { useNotificationSettingsQuery } from "../api.ts";
import { useAddToGlobal } from "./save.ts";

/** Which settings name a channel. */
function usesOf(id: number, { globalMonitor, globalAgent, monitors, agents }: AllSettings) {
  const own = [...Object.values(monitors), ...Object.values(agents)];
  return {
    monitors: globalMonitor.channels.includes(id),
    agents: globalAgent.channels.includes(id),
    overrides: own.filter(({ channels }) => channels.includes(id)).length,
  };
}

/** What a channel is used for; where that is nothing, it shows so and offers to change it. */
export function ChannelUse({ channel: { id, name } }: { channel: NotificationChannel }) {
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
