import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, NavLink } from "react-router-dom";
import { useOnline, useShared } from "../../lib/hooks.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import {
  CrossIcon,
  MenuIcon,
  SearchIcon,
  BellIcon,
  GoalIcon,
  GridIcon,
  OnCallIcon,
  PageIcon,
  PulseIcon,
  ServerIcon,
  OfflineIcon,
  WarnIcon,
  WrenchIcon,
} from "../../ui/icons.tsx";
import { Logo } from "../../ui/logo.tsx";
import { useSession, useAppSelector } from "../hooks.ts";
import { commandKey, showOverlay } from "../keyboard/keys.ts";
import { paths } from "../paths.ts";
import { openIncidents } from "./down-count.tsx";
import { LanguageSwitcher, ThemeSwitcher, UserMenu } from "./menus.tsx";

const scrolledBeyondPx = 10;

/** Navigation bar. Below 1280 px the links move into a menu. */
export function NavBar() {
  const { t } = useTranslation();
  const { status } = useSession();
  const scrolled = useScrolled();
  const { key: locationKey } = useLocation();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const loggedIn = status === "authenticated";
  const open = openAt === locationKey && loggedIn;

  return (
    <header
      data-scrolled={scrolled || undefined}
      className={cx(
        "sticky top-0 z-30 border-b transition-colors",
        scrolled || open ? "border-line bg-surface/90 backdrop-blur-md" : "border-transparent bg-ground",
      )}
    >
      <div className="container-page flex h-14 items-center gap-2 xl:gap-4">
        <Link
          to={loggedIn ? paths.dashboard : paths.home}
          className="flex shrink-0 items-center rounded-sm text-[16px]"
        >
          <Logo narrow={loggedIn} />
        </Link>
        {loggedIn && (
          <nav aria-label={t("nav.main")} className="hidden items-center xl:flex">
            <NavLinks />
          </nav>
        )}
        <div className="ml-auto flex min-w-0 items-center sm:gap-1">
          {loggedIn && <LiveNote />}
          {loggedIn && (
            <Button
              variant="ghost"
              size="icon"
              aria-label={t("nav.palette")}
              title={`${t("nav.palette")} (${commandKey} K)`}
              aria-haspopup="dialog"
              aria-keyshortcuts="Control+K Meta+K"
              onClick={() => showOverlay("palette")}
            >
              <SearchIcon />
            </Button>
          )}
          <ThemeSwitcher />
          <LanguageSwitcher />
          {loggedIn && <UserMenu />}
          {status === "anonymous" && (
            <ButtonLink to={paths.login} variant="primary" size="sm" className="ml-1">
              {t("nav.login")}
            </ButtonLink>
          )}
          {loggedIn && (
            <Button
              variant="ghost"
              size="icon"
              className="xl:hidden"
              aria-expanded={open}
              aria-controls="mobile-menu"
              onClick={() => setOpenAt(open ? null : locationKey)}
              onKeyDown={(event) => event.key === "Escape" && setOpenAt(null)}
            >
              <span className="sr-only">{t("nav.menu")} </span>
              <span className="relative">
                {open ? <CrossIcon /> : <MenuIcon />}
                {!open && <OpenIncidents className="absolute -top-2 left-2" />}
              </span>
            </Button>
          )}
        </div>
      </div>
      {open && (
        <nav
          id="mobile-menu"
          aria-label={t("nav.main")}
          className="container-page fade-in flex flex-col border-t border-line py-2 xl:hidden"
        >
          <NavLinks stacked onNavigate={() => setOpenAt(null)} />
        </nav>
      )}
    </header>
  );
}

function useScrolled(): boolean {
  const [scrolled, setScrolled] = useState(() => scrollY > scrolledBeyondPx);
  useEffect(() => {
    const onScroll = () => setScrolled(scrollY > scrolledBeyondPx);
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  return scrolled;
}

const links = [
  { key: "dashboard", to: paths.dashboard, icon: <GridIcon /> },
  { key: "monitors", to: paths.monitors, icon: <PulseIcon /> },
  { key: "agents", to: paths.agents, icon: <ServerIcon /> },
  { key: "incidents", to: paths.incidents, icon: <WarnIcon /> },
  { key: "onCall", to: paths.onCall, icon: <OnCallIcon /> },
  { key: "slos", to: paths.slos, also: paths.reports, icon: <GoalIcon /> },
  { key: "maintenance", to: paths.maintenance, also: paths.silences, icon: <WrenchIcon /> },
  { key: "statusPage", to: paths.statusConfig, icon: <PageIcon /> },
  { key: "notifications", to: paths.notifications, icon: <BellIcon /> },
] as const satisfies readonly { key: string; to: string; also?: string; icon: ReactNode }[];

function NavLinks({ stacked = false, onNavigate }: { stacked?: boolean; onNavigate?: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const isAlso = (link: { also?: string }) => link.also !== undefined && pathname.startsWith(link.also);
  return links.map(({ key, to, icon, ...link }) => (
    <NavLink
      key={key}
      to={to}
      onClick={onNavigate}
      className={({ isActive }) =>
        cx(
          "relative inline-flex items-center gap-2 rounded-md px-2 font-medium whitespace-nowrap transition-colors hover:text-ink",
          stacked ? "h-11 w-full" : "h-8",
          // Its number lies over the next link.
          key === "incidents" && "z-1",
          isActive || isAlso(link) ? "bg-accent-soft text-accent-strong" : "text-muted hover:bg-sunken",
        )
      }
    >
      {stacked && icon}
      {t(`nav.${key}`)}{" "}
      {key === "incidents" && <OpenIncidents className={stacked ? undefined : "absolute -top-1 left-full -ml-3"} />}
    </NavLink>
  ));
}

const maxShown = 99;

/** Takes no space in the bar, so that nothing moves when the number arrives. */
function OpenIncidents({ className }: { className?: string | undefined }) {
  const { t } = useTranslation();
  const count = useShared(openIncidents);
  if (count === null || count === 0) return null;
  return (
    <span
      className={cx(
        "tnum min-w-4 rounded-full bg-danger px-1 text-center text-[11px] leading-4 font-semibold text-on-danger",
        className,
      )}
    >
      <span aria-hidden="true">{count > maxShown ? `${maxShown}+` : count}</span>
      <span className="sr-only">{t("nav.openIncidents", { count })}</span>
    </span>
  );
}

/** Warns that the page may be outdated while the live connection is lost. */
function LiveNote() {
  const { t } = useTranslation();
  const status = useAppSelector((state) => state.live.status);
  const isOnline = useOnline();
  return (
    <span role="status" data-live={status}>
      {status === "lost" && (
        <span
          title={t("live.lost")}
          className="fade-in inline-flex h-7 items-center gap-1.5 rounded-full border border-warn/55 bg-warn-soft px-2 text-[13px] whitespace-nowrap text-warn-ink"
        >
          <OfflineIcon />
          <span className="hidden md:inline">{t(isOnline ? "live.short" : "live.offline")}</span>
          <span className="sr-only">{t("live.lost")}</span>
        </span>
      )}
    </span>
  );
}
