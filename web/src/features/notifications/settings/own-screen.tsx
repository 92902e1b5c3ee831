import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useParams } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { managedText } from "../../../entities/managed/managed-badge.tsx";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { ownSettings } from "../../../entities/notifications/audience.tsx";
import { paths } from "../../../app/paths.ts";
import { isId, isMissing, Loaded, Missing } from "../../../app/screen.tsx";
import { useTargetQuery } from "../../../entities/targets/api.ts";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { BellIcon, ChevronLeftIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { type TargetName, useChannelsQuery, useNotificationSettingsQuery } from "../api.ts";
import { ownerOf, RemoveSettingsDialog, SettingsForm } from "./settings-form.tsx";

export default function OwnScreen() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const type: TargetType = pathname.includes("/agent/") ? "agent" : "monitor";
  const id = Number(useParams()["id"]);
  const target = useTargetQuery({ type, id }, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const settings = useNotificationSettingsQuery(undefined, { refetchOnMountOrArgChange: true });
  // Waits for the channels to avoid a layout shift.
  const { isLoading } = useChannelsQuery();
  const failed = [target, settings].find(({ data, error }) => data === undefined && error !== undefined);
  const name = target.data?.name;
  const loaded = !isLoading && target.data && settings.data && { target: target.data, all: settings.data };
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={name === undefined ? t("alerting.title") : t("notificationSettings.of", { name })}
        description={
          <span className="flex flex-wrap items-center gap-x-4">
            <Link
              to={paths.notificationSettings}
              className="inline-flex min-h-6 items-center gap-1 hover:text-ink hover:underline"
            >
              <ChevronLeftIcon className="size-3.5" />
              {t("notificationSettings.back")}
            </Link>
            {target.data !== undefined && (
              <Link to={paths[type](id)} className="inline-flex min-h-6 items-center font-medium hover:underline">
                {target.data.name}
              </Link>
            )}
          </span>
        }
      />
      {isMissing(id, target.error) ? (
        <Missing
          icon={<BellIcon />}
          title={type === "monitor" ? t("errors.monitorMissing") : t("errors.agentMissing")}
          back={t("notificationSettings.back")}
          backTo={paths.notificationSettings}
        />
      ) : (
        <Loaded
          query={{ ...(failed ?? target), data: loaded || undefined, error: failed?.error }}
          placeholder={<Skeleton className="h-[40rem] w-full" />}
        >
          {(shown) => <OwnSettings key={`${type} ${id}`} {...shown} />}
        </Loaded>
      )}
    </div>
  );
}

function OwnSettings({ target, all }: { target: TargetName; all: AllSettings }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [unsaved, setUnsaved] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [notice, setNotice] = useState<string | null>(null);
  const { type, id, name } = target;
  const isOwn = ownSettings(all, type, id) !== undefined;
  const refusal = managedText(ownerOf(all, type, id), t);
  return (
    <div className="flex flex-col gap-4">
      {notice !== null && !isOwn && <Alert kind="success">{notice}</Alert>}
      <SettingsForm
        // Resets the form when the settings were removed.
        key={notice === null ? "at first" : notice}
        title={name}
        all={all}
        type={type}
        targetId={id}
        onUnsaved={setUnsaved}
        actions={
          isOwn &&
          mayChange && (
            <Button disabled={refusal !== undefined} title={refusal} onClick={() => setRemoving(true)}>
              {t("notificationSettings.remove.action")}
            </Button>
          )
        }
      />
      <RemoveSettingsDialog
        target={removing ? target : null}
        onClose={() => setRemoving(false)}
        onRemoved={setNotice}
      />
      <UnsavedGuard unsaved={unsaved} />
    </div>
  );
}
