import type { AllSettings } from "../../../app/notifications/api.ts";
import { useTranslation } from "react-i18next";
import { Loaded } from "../../../app/screen.tsx";
import { UnsavedGuard, useUnsavedParts } from "../../../app/unsaved-guard.tsx";
import { useNotificationSettingsQuery } from "../api.ts";
import { nextReminderOf } from "./next-reminder.ts";
import { Overrides } from "./overrides.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { Skeleton } from "../../../ui/states.tsx";

/** What holds for all monitors and for all agents, and which have settings of their own. */
export default function GlobalScreen() {
  const query = useNotificationSettingsQuery(undefined, { refetchOnMountOrArgChange: true });
  return (
    <Loaded query={query} fallback="fetchData" placeholder={<Loading />}>
      {(all) => <GlobalSettings all={all} />}
    </Loaded>
  );
}

function GlobalSettings({ all }: { all: AllSettings }) {
  const { t } = useTranslation();
  const { unsaved, report } = useUnsavedParts<"monitors" | "agents">();
  const shared = { hint: t("notificationSettings.globalHint"), submitLabel: t("notificationSettings.save") };
  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <SettingsForm
          {...shared}
          title={t("notificationSettings.forMonitors")}
          type="monitor"
          owner={{ scope: "global-monitor" }}
          settings={all.globalMonitor}
          nextReminder={nextReminderOf(all, "monitor")}
          onUnsaved={(yes) => report("monitors", yes)}
        />
        <SettingsForm
          {...shared}
          title={t("notificationSettings.forAgents")}
          type="agent"
          owner={{ scope: "global-agent" }}
          settings={all.globalAgent}
          nextReminder={nextReminderOf(all, "agent")}
          onUnsaved={(yes) => report("agents", yes)}
        />
      </div>
      <Overrides all={all} />
      <UnsavedGuard unsaved={unsaved} />
    </div>
  );
}

function Loading() {
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <Skeleton className="h-[40rem] w-full" />
      <Skeleton className="h-[40rem] w-full" />
    </div>
  );
}
