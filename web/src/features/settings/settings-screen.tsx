import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { NavLink, Outlet, useLocation } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { cx } from "../../ui/cx.ts";

const sections = [
  { label: "settings.general", to: paths.settingsGeneral, for: "everyone" },
  { label: "nav.users", to: paths.users, for: "admins" },
  { label: "nav.signIn", to: paths.signIn, for: "admins" },
  { label: "nav.audit", to: paths.audit, for: "admins" },
  { label: "nav.sources", to: paths.sources, for: "writers" },
  { label: "settings.locations", to: paths.settingsLocations, for: "everyone" },
] as const;

/** The sections beside their content, and above it in windows narrower than 1024 px. */
export default function SettingsScreen() {
  const { t } = useTranslation();
  const { isAdmin, mayChange } = useSession();
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone, the row may be wider than the window.
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView?.({ block: "nearest", inline: "center" });
  }, [pathname]);
  const allowed = { everyone: true, writers: mayChange, admins: isAdmin };
  return (
    <div className="grid gap-5 lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-8">
      <nav
        ref={nav}
        aria-label={t("nav.settings")}
        className="-mt-2 flex gap-5 overflow-x-auto border-b border-line lg:mt-0 lg:flex-col lg:gap-0.5 lg:self-start lg:border-0"
      >
        {sections
          .filter((section) => allowed[section.for])
          .map(({ label, to }) => (
            <NavLink
              key={to}
              to={to}
              className={({ isActive }) =>
                cx(
                  "inline-flex min-h-10 items-center font-medium whitespace-nowrap transition-colors hover:text-ink focus-visible:outline-offset-[-2px]",
                  "border-b-2 px-0.5 lg:min-h-9 lg:rounded-md lg:border-b-0 lg:px-3 lg:whitespace-normal",
                  isActive
                    ? "border-accent text-ink lg:bg-accent-soft lg:text-accent-strong"
                    : "border-transparent text-muted lg:hover:bg-sunken",
                )
              }
            >
              {t(label)}
            </NavLink>
          ))}
      </nav>
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  );
}
