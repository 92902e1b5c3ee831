import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { MoreIcon } from "../../../ui/icons.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import type { RowAct } from "./row-act.ts";

const RowMenu = lazy(() => import("./row-menu.tsx"));

/** All actions of a row in one menu, which keeps rows on one line and hundreds of them cheap. */
export function MonitorMenu({ monitor, onAct }: { monitor: Monitor; onAct: RowAct }) {
  const { t } = useTranslation();
  return (
    <Menu
      variant="ghost"
      size="icon"
      aria-label={`${t("common.actions")}: ${monitor.name}`}
      title={t("common.actions")}
      panelOf={(frame) => <RowMenu monitor={monitor} onAct={onAct} {...frame} />}
    >
      <MoreIcon />
    </Menu>
  );
}
