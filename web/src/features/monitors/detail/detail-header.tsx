import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { LostLocations } from "../../../app/locations.tsx";
import { useNotice, BackLink } from "../../../app/screen.tsx";
import { paths } from "../../../app/paths.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import {
  CopyIcon,
  EditIcon,
  ExternalIcon,
  PauseIcon,
  PlayIcon,
  RefreshIcon,
  TrashIcon,
  KindIcon,
} from "../../../ui/icons.tsx";
import { MaintenanceBadge, shownState, StatusBadge } from "../../../ui/badge.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { checkKey, useCheckMonitorMutation, useSwitchMonitorMutation } from "../api.ts";
import { CheckPanel } from "./check-panel.tsx";
import { DeleteMonitorDialog } from "../delete-dialog.tsx";

/** Who it is, how it is, and what can be done with it; what a manual check or a pause answered stands right below. */
export function DetailHeader({ monitor, error }: { monitor: Monitor; error: string | null }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [check, checked] = useCheckMonitorMutation({ fixedCacheKey: checkKey(monitor.id) });
  const [switchMonitor, switched] = useSwitchMonitorMutation();
  const notice = useNotice();
  const { id, name, description, type, target, status, stale, flapping, paused } = monitor;
  const untouched = checked.isUninitialized && switched.isUninitialized;

  return (
    <div>
      <BackLink to={paths.monitors} label={t("monitor.back")} />
      <PageHeader
        title={name}
        badge={
          <>
            <StatusBadge state={shownState(status, stale)} wording="detail" />
            <MaintenanceBadge when={monitor.inMaintenance} />
          </>
        }
        description={
          <>
            {description !== "" && <span className="mb-1 block break-words whitespace-pre-line">{description}</span>}
            <span className="flex gap-2">
              <KindIcon type={type} className="mt-1 size-4" />
              <Target text={target} />
            </span>
          </>
        }
        actions={
          mayChange && (
            <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto">
              <Button
                variant="primary"
                className="max-sm:col-span-2"
                saving={checked.isLoading}
                savingLabel={t("monitor.checking")}
                onClick={() => void check(monitor)}
              >
                <RefreshIcon />
                {t("monitor.checkNow")}
              </Button>
              <Button
                saving={switched.isLoading}
                savingLabel={paused ? t("monitors.resuming") : t("monitors.pausing")}
                onClick={() => void switchMonitor({ id, action: paused ? "resume" : "pause" })}
              >
                {paused ? <PlayIcon /> : <PauseIcon />}
                {paused ? t("monitors.resume") : t("monitors.pause")}
              </Button>
              <ButtonLink to={paths.monitorEdit(id)}>
                <EditIcon />
                {t("common.edit")}
              </ButtonLink>
              <ButtonLink to={paths.monitorClone(id)}>
                <CopyIcon />
                {t("monitors.clone")}
              </ButtonLink>
              <DeleteButton monitor={monitor} />
            </div>
          )
        }
      />
      <div className="flex flex-col gap-3">
        {status !== "paused" && <LostLocations only={monitor.locations} />}
        {error !== null && <Alert kind="error">{error}</Alert>}
        {untouched && notice !== undefined && <Alert kind="success">{notice}</Alert>}
        {flapping && <Alert kind="info">{t("monitor.flappingNote")}</Alert>}
        {stale && status !== "paused" && <Alert kind="info">{t("monitor.staleNote")}</Alert>}
        {switched.error !== undefined && <Alert kind="error">{errorText(switched.error, "updateMonitor")}</Alert>}
        <CheckPanel monitor={monitor} checked={checked} />
      </div>
    </div>
  );
}

/** What is checked: a link where a browser can open it. */
function Target({ text }: { text: string }) {
  const look = "inline-flex min-h-6 min-w-0 items-center gap-1 font-mono text-[13px] break-all";
  if (!/^https?:\/\//i.test(text)) return <span className={look}>{text}</span>;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer" className={`${look} hover:text-ink hover:underline`}>
      {text}
      <ExternalIcon className="size-3.5" />
    </a>
  );
}

function DeleteButton({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        <TrashIcon />
        {t("common.delete")}
      </Button>
      <DeleteMonitorDialog
        target={asking ? monitor : null}
        onClose={() => setAsking(false)}
        onDeleted={(message) => void navigate(paths.monitors, { state: { notice: message } })}
      />
    </>
  );
}
