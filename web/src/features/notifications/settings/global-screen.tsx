import type { ManagedBy } from "@sonde/proto/http/config/managed";
import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router-dom";
import { statusOf } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { ManagedBadge, managedText } from "../../../entities/managed/managed-badge.tsx";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { paths } from "../../../app/paths.ts";
import { Loaded } from "../../../app/screen.tsx";
import { useTargetQuery } from "../../../entities/targets/api.ts";
import { UnsavedGuard, useUnsavedParts } from "../../../app/forms/unsaved-guard.tsx";
import { formatSpan } from "../../../lib/format.ts";
import { RowActions } from "../../../lists/row-actions.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { PlusIcon, PulseIcon, ServerIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { type TargetName, useChannelsQuery, useNotificationSettingsQuery } from "../api.ts";
import { TargetDialog } from "../target-dialog.tsx";
import { ownerOf, RemoveSettingsDialog, SettingsForm } from "./settings-form.tsx";

export default function GlobalScreen() {
  const query = useNotificationSettingsQuery(undefined, { refetchOnMountOrArgChange: true });
  // Waits for the channels to avoid a layout shift.
  const { isLoading } = useChannelsQuery();
  const placeholder = (
    <div className="grid gap-4 xl:grid-cols-2">
      <Skeleton className="h-[40rem] w-full" />
      <Skeleton className="h-[40rem] w-full" />
    </div>
  );
  return (
    <Loaded query={isLoading ? { ...query, data: undefined } : query} placeholder={placeholder}>
      {(all) => <GlobalSettings all={all} />}
    </Loaded>
  );
}

function GlobalSettings({ all }: { all: AllSettings }) {
  const { t } = useTranslation();
  const { unsaved, report } = useUnsavedParts<TargetType>();
  const titles = { monitor: "notificationSettings.forMonitors", agent: "notificationSettings.forAgents" } as const;
  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 xl:grid-cols-2">
        {(["monitor", "agent"] as const).map((type) => (
          <SettingsForm
            key={type}
            title={t(titles[type])}
            all={all}
            type={type}
            onUnsaved={(yes) => report(type, yes)}
          />
        ))}
      </div>
      <Overrides all={all} />
      <UnsavedGuard unsaved={unsaved} />
    </div>
  );
}

type Override = { type: TargetType; id: number; settings: NotificationSettings };

/** Rows added at a time. Each row requests its name. */
const step = 20;

function overridesOf({ monitors, agents }: AllSettings): Override[] {
  const of = (type: TargetType, byId: Readonly<Record<string, NotificationSettings>>) =>
    Object.entries(byId).map(([id, settings]) => ({ type, id: Number(id), settings }));
  return [...of("monitor", monitors), ...of("agent", agents)];
}

function Overrides({ all }: { all: AllSettings }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const [picking, setPicking] = useState(false);
  const [shown, setShown] = useState(step);
  const [toRemove, setToRemove] = useState<TargetName | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const overrides = overridesOf(all);
  return (
    <Card
      flush
      title={t("notificationSettings.overrides")}
      actions={
        mayChange && (
          <Button size="sm" onClick={() => setPicking(true)}>
            <PlusIcon />
            {t("notificationSettings.add")}
          </Button>
        )
      }
    >
      <p className="px-4 pt-3 text-muted md:px-5">{t("notificationSettings.overridesHint")}</p>
      {notice !== null && (
        <Alert kind="success" className="mx-4 mt-3 md:mx-5">
          {notice}
        </Alert>
      )}
      {overrides.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-muted md:px-5">{t("notificationSettings.noOverrides")}</p>
      ) : (
        <ul className="mt-3 divide-y divide-line border-t border-line">
          {overrides.slice(0, shown).map((override) => (
            <OverrideRow
              key={`${override.type} ${override.id}`}
              override={override}
              managed={ownerOf(all, override.type, override.id)}
              onRemove={setToRemove}
            />
          ))}
        </ul>
      )}
      {overrides.length > shown && (
        <div className="flex justify-center border-t border-line py-2">
          <Button size="sm" variant="ghost" onClick={() => setShown(shown + step)}>
            {t("notificationSettings.more")}
          </Button>
        </div>
      )}
      <TargetDialog
        open={picking}
        onClose={() => setPicking(false)}
        onPick={({ type, id }) => void navigate(paths.targetNotifications(type, id))}
      />
      <RemoveSettingsDialog target={toRemove} onClose={() => setToRemove(null)} onRemoved={setNotice} />
    </Card>
  );
}

type OverrideRowProps = {
  override: Override;
  managed: ManagedBy | undefined;
  onRemove: (target: TargetName) => void;
};

function OverrideRow({ override, managed, onRemove }: OverrideRowProps) {
  const { t } = useTranslation();
  const { type, id, settings } = override;
  const { data, error } = useTargetQuery({ type, id });
  const summary = useSummary(settings);
  const isGone = statusOf(error) === 404;
  const numbered = t("notificationSettings.numbered", { type: t(`notificationSettings.${type}`), id });
  const name = data?.name ?? (isGone ? t("notificationSettings.gone", { name: numbered }) : numbered);
  const Icon = type === "monitor" ? PulseIcon : ServerIcon;
  return (
    <li data-row className="flex items-center gap-3 px-4 py-2 md:px-5">
      <Icon className="size-4 text-muted" />
      <div className="min-w-0 flex-1">
        {data === undefined && error === undefined ? (
          <Skeleton className="my-1 h-4 w-40" />
        ) : (
          <Link
            to={paths.targetNotifications(type, id)}
            className="inline-flex min-h-6 items-center font-medium hover:underline"
          >
            {name}
          </Link>
        )}
        <p className="text-[13px] text-muted">{summary}</p>
        <ManagedBadge managed={managed} />
      </div>
      <RowActions
        name={name}
        editAt={paths.targetNotifications(type, id)}
        onDelete={() => onRemove({ type, id, name })}
        deleteRefusal={managedText(managed, t)}
      />
    </li>
  );
}

function useSummary({ enabled, channels, cooldownMinutes, quietHours }: NotificationSettings): string {
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
