import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { CopyIcon, EditIcon, EyeIcon, MoreIcon, PauseIcon, PlayIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Menu, type MenuEntry } from "../../../ui/menu/menu.tsx";

/** What is done to a row's monitor in place. */
export type RowAct = (action: "pause" | "resume" | "delete", monitor: Monitor) => void;

/** What can be done with a row, in one menu: a row stays one line, and a hundred of them light. */
export function MonitorMenu({ monitor, onAct }: { monitor: Monitor; onAct: RowAct }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { id, name, paused } = monitor;
  const changes: MenuEntry[] = [
    { kind: "link", to: paths.monitorEdit(id), icon: <EditIcon />, label: t("common.edit") },
    { kind: "link", to: paths.monitorClone(id), icon: <CopyIcon />, label: t("monitors.clone") },
    paused
      ? { kind: "action", onSelect: () => onAct("resume", monitor), icon: <PlayIcon />, label: t("monitors.resume") }
      : { kind: "action", onSelect: () => onAct("pause", monitor), icon: <PauseIcon />, label: t("monitors.pause") },
    { kind: "separator" },
    {
      kind: "action",
      // The menu closes first and gives the focus back, from which the dialog takes it.
      onSelect: () => setTimeout(() => onAct("delete", monitor), closingMs),
      icon: <TrashIcon />,
      label: t("common.delete"),
      danger: true,
    },
  ];
  const view: MenuEntry = { kind: "link", to: paths.monitor(id), icon: <EyeIcon />, label: t("common.view") };
  return (
    <Menu
      variant="ghost"
      size="icon"
      aria-label={`${t("common.actions")}: ${name}`}
      title={t("common.actions")}
      entries={mayChange ? [view, ...changes] : [view]}
    >
      <MoreIcon />
    </Menu>
  );
}

const closingMs = 50;
