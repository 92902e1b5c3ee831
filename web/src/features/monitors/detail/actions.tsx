import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { AcknowledgeButton } from "../../../entities/incidents/acknowledge-button.tsx";
import { lockOf, managedText } from "../../../entities/managed/managed-badge.tsx";
import { SilenceMenu } from "../../../entities/silences/silence-menu.tsx";
import { useMedia } from "../../../lib/hooks.ts";
import { BottomBar, onPhones } from "../../../ui/bottom-bar.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { CopyIcon, EditIcon, MoreIcon, PauseIcon, PlayIcon, RefreshIcon, TrashIcon } from "../../../ui/icons.tsx";
import { isPassive } from "../../../ui/health/schedule.ts";
import { Menu } from "../../../ui/menu/menu.tsx";
import {
  manualCheckKey,
  useCheckMonitorMutation,
  useDeleteMonitorMutation,
  useMonitorIncidentsQuery,
  isCauseOfDown,
} from "../api.ts";
import { usePausing } from "../pause.tsx";

// Loaded on demand: deletion is rare, and the dialog is a tenth of the page's size.
const DeleteDialog = lazy(async () => ({ default: (await import("../../../lists/delete-dialog.tsx")).DeleteDialog }));

/** Actions on a monitor. A phone shows the three urgent ones, and the others in a menu. */
export function Actions({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isPhone = useMedia("(max-width: 39.99rem)");
  const [check, checked] = useCheckMonitorMutation({ fixedCacheKey: manualCheckKey(monitor.id) });
  const pausing = usePausing();
  const [remove] = useDeleteMonitorMutation();
  const [asking, setAsking] = useState<boolean | null>(null);
  const hotkey = useHotkeys();
  const { id, name, type, status, paused, managed } = monitor;
  const { data } = useMonitorIncidentsQuery(id, { skip: status !== "down" });
  const incident = status === "down" ? data?.incidents.find(isCauseOfDown) : undefined;
  const isUrgent = isPhone && incident !== undefined;
  const pauseLock = lockOf(managed, "paused", t);
  const deleteLock = managedText(managed, t);
  const pause = {
    icon: paused ? <PlayIcon /> : <PauseIcon />,
    label: t(paused ? "monitors.resume" : "monitors.pause"),
    act: () => void pausing.switchTo(paused ? "resume" : "pause", { ids: [id] }),
  };
  return (
    <>
      <BottomBar>
        {isUrgent && <AcknowledgeButton incident={incident} className={onPhones} />}
        {!isPassive(type) && (
          <Button
            variant={isUrgent ? "secondary" : "primary"}
            {...hotkey("c")}
            saving={checked.isLoading}
            savingLabel={t("monitor.checking")}
            onClick={() => {
              // Progress and result are at the top.
              if (isPhone) window.scrollTo(0, 0);
              void check(monitor);
            }}
            className={onPhones}
          >
            <RefreshIcon />
            {t("monitor.checkNow")}
          </Button>
        )}
        <SilenceMenu target={{ type: "monitor", id }} name={name} className={onPhones} />
        {isPhone ? (
          <Menu
            className={onPhones}
            entries={[
              { kind: "action", onSelect: pause.act, disabled: pauseLock !== undefined, ...pause },
              { kind: "link", to: paths.monitorEdit(id), icon: <EditIcon />, label: t("common.edit") },
              { kind: "link", to: paths.monitorClone(id), icon: <CopyIcon />, label: t("monitors.clone") },
              {
                kind: "action",
                // The menu restores the focus when it closes. Only then may the dialog take it.
                onSelect: () => setTimeout(() => setAsking(true), 50),
                icon: <TrashIcon />,
                label: t("common.delete"),
                danger: true,
                disabled: deleteLock !== undefined,
              },
            ]}
          >
            <MoreIcon />
            {t("monitor.more")}
          </Menu>
        ) : (
          <>
            <Button
              {...hotkey("p")}
              {...(pauseLock !== undefined && { disabled: true, title: pauseLock })}
              saving={pausing.running !== undefined}
              savingLabel={paused ? t("monitors.resuming") : t("monitors.pausing")}
              onClick={pause.act}
            >
              {pause.icon}
              {pause.label}
            </Button>
            <ButtonLink to={paths.monitorEdit(id)} {...hotkey("e")}>
              <EditIcon />
              {t("common.edit")}
            </ButtonLink>
            <ButtonLink to={paths.monitorClone(id)}>
              <CopyIcon />
              {t("monitors.clone")}
            </ButtonLink>
            <Button disabled={deleteLock !== undefined} title={deleteLock} onClick={() => setAsking(true)}>
              <TrashIcon />
              {t("common.delete")}
            </Button>
          </>
        )}
      </BottomBar>
      {pausing.question}
      {asking !== null && (
        <Suspense fallback={null}>
          <DeleteDialog
            noun="monitors"
            target={asking ? monitor : null}
            fallback="deleteMonitor"
            remove={remove}
            onClose={() => setAsking(false)}
            onDeleted={(message) => void navigate(paths.monitors, { state: { notice: message } })}
          />
        </Suspense>
      )}
    </>
  );
}
