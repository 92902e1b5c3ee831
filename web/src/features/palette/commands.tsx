import { pathWithin } from "../../lib/base-path.ts";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "react-redux";
import { useNavigate } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { changeLanguage, languageNames, languages } from "../../app/i18n.ts";
import { showOverlay } from "../../app/keyboard/keys.ts";
import { logout } from "../../app/me.ts";
import {
  announcementsPath,
  announcePath,
  apiReference,
  documentation,
  paths,
  planPath,
  publicPage,
} from "../../app/paths.ts";
import type { RootState } from "../../app/store.ts";
import { requestSilence } from "../../entities/silences/request.ts";
import { setTheme, themes, useTheme } from "../../app/theme.ts";
import {
  AnnounceIcon,
  ArrowRightIcon,
  BellIcon,
  CodeIcon,
  EditIcon,
  GlobeIcon,
  GoalIcon,
  GridIcon,
  InfoIcon,
  LogoutIcon,
  MoonIcon,
  OnCallIcon,
  PageIcon,
  PendingIcon,
  PlayIcon,
  PlusIcon,
  PulseIcon,
  ScreenIcon,
  ServerIcon,
  SilentIcon,
  SunIcon,
  UserIcon,
  UsersIcon,
  WarnIcon,
  WrenchIcon,
} from "../../ui/icons.tsx";

/** A page or an action. The search includes `id`, so English words match in every language. */
export type PaletteCommand = {
  id: string;
  icon: ReactNode;
  label: string;
  note?: ReactNode;
  run: () => unknown;
  actions?: PaletteCommand[];
};

export type Section = { id: string; title: string; commands: PaletteCommand[] };

export function useLinks() {
  const navigate = useNavigate();
  return (id: string, icon: ReactNode, label: string, to: string): PaletteCommand => ({
    id,
    icon,
    label,
    run: () => void navigate(to),
  });
}

export function usePages(): PaletteCommand[] {
  const { t, i18n } = useTranslation();
  const { status, isAdmin, mayChange } = useSession();
  const link = useLinks();
  const open = [
    link("home", <ArrowRightIcon />, t("palette.home"), paths.home),
    {
      id: "public status",
      icon: <PageIcon />,
      label: t("palette.publicStatus"),
      run: () => window.location.assign(publicPage),
    },
    {
      id: "documentation",
      icon: <PageIcon />,
      label: t("nav.docs"),
      run: () => window.location.assign(documentation(i18n.language)),
    },
    {
      id: "api reference",
      icon: <CodeIcon />,
      label: t("nav.api"),
      run: () => window.location.assign(apiReference),
    },
  ];
  if (status !== "authenticated") {
    return [
      link("login", <UserIcon />, t("nav.login"), paths.login),
      link("register", <UserIcon />, t("auth.register.submit"), paths.register),
      ...open,
    ];
  }
  const tab = (name: "incidents" | "subscribers") => `${t("nav.statusPage")}: ${t(`statusPage.tab.${name}`)}`;
  return [
    link("dashboard", <GridIcon />, t("nav.dashboard"), paths.dashboard),
    link("monitors", <PulseIcon />, t("nav.monitors"), paths.monitors),
    link("agents", <ServerIcon />, t("nav.agents"), paths.agents),
    link("incidents", <WarnIcon />, t("incidents.title"), paths.incidents),
    link("open incidents", <WarnIcon />, t("palette.openIncidents"), `${paths.incidents}?open=true`),
    link("status", <PageIcon />, t("nav.statusPage"), paths.statusConfig),
    link("public incidents", <AnnounceIcon />, tab("incidents"), announcementsPath),
    link("on call schedules", <OnCallIcon />, t("nav.onCall"), paths.onCall),
    link("service levels slo error budget", <GoalIcon />, t("nav.slos"), paths.slos),
    link("reports", <PageIcon />, t("nav.reports"), paths.reports),
    link("maintenance", <WrenchIcon />, t("maintenance.title"), paths.maintenance),
    link("silences", <SilentIcon />, t("quiet.list"), paths.silences),
    link("subscribers", <UsersIcon />, tab("subscribers"), `${paths.statusConfig}?tab=subscribers`),
    link("notifications channels", <BellIcon />, t("nav.notifications"), paths.notifications),
    link("notification settings", <BellIcon />, t("palette.settings"), paths.notificationSettings),
    link("templates", <PageIcon />, t("palette.templates"), paths.notificationTemplates),
    link("deliveries", <BellIcon />, t("palette.deliveries"), paths.deliveries),
    ...(mayChange
      ? [
          link("import export", <PageIcon />, t("palette.import"), paths.monitorImport),
          link("sources as code", <CodeIcon />, t("nav.sources"), paths.sources),
        ]
      : []),
    ...(isAdmin
      ? [
          link("users", <UsersIcon />, t("nav.users"), paths.users),
          link("audit log", <PageIcon />, t("nav.audit"), paths.audit),
        ]
      : []),
    link("profile", <UserIcon />, t("nav.profile"), paths.profile),
    ...open,
  ];
}

const themeIcons = { light: <SunIcon />, dark: <MoonIcon />, auto: <ScreenIcon /> };

export function useActions(): PaletteCommand[] {
  const { t, i18n } = useTranslation();
  const { status, isAdmin, mayChange } = useSession();
  const link = useLinks();
  const store = useStore<RootState>();
  const theme = useTheme();
  const changes = [
    link("add monitor", <PlusIcon />, t("monitors.add"), paths.monitorCreate),
    link("add agent", <PlusIcon />, t("agents.add"), paths.agentCreate),
    link("add channel", <PlusIcon />, t("channels.add"), paths.channelCreate),
    link("add template", <PlusIcon />, t("templates.add"), paths.templateCreate),
    link("edit status page", <EditIcon />, t("palette.editStatusPage"), paths.statusConfig),
    link("announce incident", <WarnIcon />, t("palette.announce"), announcePath(null)),
    { id: "new silence", icon: <SilentIcon />, label: t("quiet.add"), run: () => requestSilence() },
    link("plan maintenance", <PendingIcon />, t("palette.planMaintenance"), planPath),
  ];
  return [
    ...(mayChange ? changes : []),
    ...(isAdmin ? [link("add user", <PlusIcon />, t("users.add"), paths.userCreate)] : []),
    ...themes
      .filter((each) => each !== theme)
      .map((each) => ({
        id: `theme ${each}`,
        icon: themeIcons[each],
        label: t("palette.theme", { name: t(`theme.${each}`) }),
        run: () => setTheme(each),
      })),
    ...languages
      .filter((each) => each !== i18n.language)
      .map((each) => ({
        id: `language ${each} ${languageNames[each]}`,
        icon: <GlobeIcon />,
        label: t("palette.language", { name: languageNames[each] }),
        run: () => void changeLanguage(each),
      })),
    { id: "keyboard shortcuts", icon: <InfoIcon />, label: t("shortcuts.title"), run: () => showOverlay("shortcuts") },
    ...(status === "authenticated"
      ? [{ id: "logout", icon: <LogoutIcon />, label: t("nav.logout"), run: () => logout(store) }]
      : []),
  ];
}

/**
 * Returns the actions in the current page's header by their labels. They are read when the palette opens and looked up
 * again when chosen, because the page may have rendered again.
 */
export function pageActions(): PaletteCommand[] {
  return [...usable()].map(([label, element]) => ({
    id: `page ${label}`,
    icon: element instanceof HTMLAnchorElement ? <ArrowRightIcon /> : <PlayIcon />,
    label,
    run: () => {
      // The palette restores the focus when it closes. Only then may a dialog take it.
      setTimeout(() => {
        const now = usable().get(label);
        now?.focus();
        now?.click();
      });
    },
  }));
}

const maxWaitMs = 5_000;
const lookEveryMs = 50;

/** Clicks the element with a shortcut letter on a page that is being opened, as soon as it is rendered. */
export function pressOn(pathname: string, letter: string): void {
  const untilMs = Date.now() + maxWaitMs;
  const look = () => {
    const isThere = pathWithin(location.pathname) === pathname;
    const found = isThere ? document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${letter}"]`) : null;
    if (found === null) return Date.now() < untilMs && setTimeout(look, lookEveryMs);
    found.focus();
    return found.click();
  };
  setTimeout(look);
}

function usable(): Map<string, HTMLElement> {
  const found = document.querySelectorAll<HTMLElement>("main [data-page-actions] :is(button, a[href])");
  const isUsable = (element: HTMLElement) =>
    !element.matches(":disabled, [aria-disabled=true], [role=radio]") && element.checkVisibility?.() !== false;
  return new Map([...found].filter(isUsable).map((element) => [nameOf(element), element] as const));
}

const nameOf = (element: HTMLElement) => element.getAttribute("aria-label") ?? element.textContent.trim();
