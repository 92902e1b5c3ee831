import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NavLink } from "react-router";
import { cx } from "../../ui/cx.ts";
import { BellIcon, GridIcon, PageIcon, PulseIcon, ServerIcon } from "../../ui/icons.tsx";
import { paths } from "../paths.ts";

const links = [
  { key: "dashboard", to: paths.dashboard, icon: <GridIcon /> },
  { key: "monitors", to: paths.monitors, icon: <PulseIcon /> },
  { key: "agents", to: paths.agents, icon: <ServerIcon /> },
  { key: "statusPage", to: paths.statusConfig, icon: <PageIcon /> },
  { key: "notifications", to: paths.notifications, icon: <BellIcon /> },
] as const satisfies readonly { key: string; to: string; icon: ReactNode }[];

/** The five main pages of a session, in a row or, on a phone, one below the other. */
export function NavLinks({ stacked = false, onNavigate }: { stacked?: boolean; onNavigate?: () => void }) {
  const { t } = useTranslation();
  return links.map(({ key, to, icon }) => (
    <NavLink
      key={key}
      to={to}
      onClick={onNavigate}
      className={({ isActive }) =>
        cx(
          "inline-flex items-center gap-2 rounded-md px-2.5 font-medium whitespace-nowrap transition-colors hover:text-ink",
          stacked ? "h-11 w-full" : "h-8",
          isActive ? "bg-accent-soft text-accent-strong" : "text-muted hover:bg-sunken",
        )
      }
    >
      {stacked && icon}
      {t(`nav.${key}`)}
    </NavLink>
  ));
}
