import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { lockOf, managedText } from "../../../entities/managed/managed-badge.tsx";
import { paths } from "../../../app/paths.ts";
import { useSilenceEntries } from "../../../entities/silences/silence-menu.tsx";
import { isPassive } from "../../../ui/health/schedule.ts";
import {
  CopyIcon,
  EditIcon,
  EyeIcon,
  PauseIcon,
  PlayIcon,
  RefreshIcon,
  SilentIcon,
  TrashIcon,
} from "../../../ui/icons.tsx";
import type { MenuEntry, MenuFrame } from "../../../ui/menu/entries.ts";
import MenuPanel from "../../../ui/menu/menu-panel.tsx";
import type { RowAct } from "./row-act.ts";
import { useCheckNow } from "./check-now.ts";

export default function RowMenu({ monitor, onAct, ...frame }: MenuFrame & { monitor: Monitor; onAct: RowAct }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [checkNow, isChecking] = useCheckNow();
  const { id, name, type, paused, managed } = monitor;
  const deleteLock = managedText(managed, t);
  const pauseLock = lockOf(managed, "paused", t);
  const pausing = { kind: "action", disabled: pauseLock !== undefined } as const;
  const [silences] = useSilenceEntries({ type: "monitor", id }, name);
  const view: MenuEntry = { kind: "link", to: paths.monitor(id), icon: <EyeIcon />, label: t("common.view") };
  const check: MenuEntry = {
    kind: "action",
    onSelect: () => void checkNow([monitor]),
    icon: <RefreshIcon />,
    label: t("monitor.checkNow"),
    disabled: isChecking,
  };
  const changes: MenuEntry[] = [
    ...(isPassive(type) ? [] : [check]),
    paused
      ? {
          ...pausing,
          onSelect: () => onAct("resume", monitor),
          icon: <PlayIcon />,
          label: withReason(t("monitors.resume"), pauseLock),
        }
      : {
          ...pausing,
          onSelect: () => onAct("pause", monitor),
          icon: <PauseIcon />,
          label: withReason(t("monitors.pause"), pauseLock),
        },
    { kind: "sub", icon: <SilentIcon />, label: t("quiet.silence"), entries: silences },
    { kind: "separator" },
    { kind: "link", to: paths.monitorEdit(id), icon: <EditIcon />, label: t("common.edit") },
    { kind: "link", to: paths.monitorClone(id), icon: <CopyIcon />, label: t("monitors.clone") },
    {
      kind: "action",
      // The menu restores the focus when it closes. Only then may the dialog take it.
      onSelect: () => setTimeout(() => onAct("delete", monitor), closingMs),
      icon: <TrashIcon />,
      label: withReason(t("common.delete"), deleteLock),
      danger: true,
      disabled: deleteLock !== undefined,
    },
  ];
  return <MenuPanel entries={mayChange ? [view, ...changes] : [view]} {...frame} />;
}

const closingMs = 50;

const withReason = (label: string, reason: string | undefined) =>
  reason === undefined ? (
    label
  ) : (
    <span className="min-w-0 py-1">
      {label}
      <span className="block max-w-56 text-[12px] break-words">{reason}</span>
    </span>
  );
