import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "react-redux";
import { useNavigate } from "react-router";
import { useSession } from "../../app/hooks.ts";
import { changeLanguage, languageNames, languages } from "../../app/i18n.ts";
import { showOverlay } from "../../app/keyboard/keys.ts";
import { logout } from "../../app/me.ts";
import { paths, publicPage } from "../../app/paths.ts";
import type { RootState } from "../../app/store.ts";
import { setTheme, themes, useTheme } from "../../app/theme.ts";
import {
  ArrowRightIcon,
  BellIcon,
  EditIcon,
  GlobeIcon,
  GridIcon,
  InfoIcon,
  LogoutIcon,
  MoonIcon,
  PageIcon,
  PendingIcon,
  PlusIcon,
  PulseIcon,
  ScreenIcon,
  ServerIcon,
  SunIcon,
  UserIcon,
  UsersIcon,
  WarnIcon,
} from "../../ui/icons.tsx";

/** Something to go to or to do. `id` is also searched, so that the English word finds it in every language. */
export type PaletteCommand = {
  id: string;
  icon: ReactNode;
  label: string;
  note?: ReactNode;
  lang?: string;
  run: () => void;
};

const themeIcons = { light: <SunIcon />, dark: <MoonIcon />, auto: <ScreenIcon /> };

/** Whether every word of a search stands in a command. */
export function isMatch({ id, label }: PaletteCommand, text: string): boolean {
  const known = `${label} ${id}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => known.includes(word));
}

/** The pages that this session may see. */
export function usePages(): PaletteCommand[] {
  const { t } = useTranslation();
  const { status, isAdmin } = useSession();
  const navigate = useNavigate();
  const page = (id: string, icon: ReactNode, label: string, to: string): PaletteCommand => ({
    id,
    icon,
    label,
    run: () => void navigate(to),
  });
  const open = [
    page("home", <ArrowRightIcon />, t("palette.home"), paths.home),
    // A document of its own, outside of the app.
    {
      id: "public status",
      icon: <PageIcon />,
      label: t("palette.publicStatus"),
      run: () => window.location.assign(publicPage),
    },
  ];
  if (status !== "authenticated") {
    return [
      page("login", <UserIcon />, t("nav.login"), paths.login),
      page("register", <UserIcon />, t("auth.register.submit"), paths.register),
      ...open,
    ];
  }
  return [
    page("dashboard", <GridIcon />, t("nav.dashboard"), paths.dashboard),
    page("monitors", <PulseIcon />, t("nav.monitors"), paths.monitors),
    page("agents", <ServerIcon />, t("nav.agents"), paths.agents),
    page("incidents", <WarnIcon />, t("incidents.title"), paths.incidents),
    page("open incidents", <WarnIcon />, t("palette.openIncidents"), `${paths.incidents}?open=true`),
    page("status", <PageIcon />, t("nav.statusPage"), paths.statusConfig),
    page("notifications", <BellIcon />, t("nav.notifications"), paths.notifications),
    ...(isAdmin ? [page("users", <UsersIcon />, t("nav.users"), paths.users)] : []),
    page("profile", <UserIcon />, t("nav.profile"), paths.profile),
    ...open,
  ];
}

/** What this session may do from anywhere. */
export function useActions(): PaletteCommand[] {
  const { t, i18n } = useTranslation();
  const { status, isAdmin, mayChange } = useSession();
  const navigate = useNavigate();
  const store = useStore<RootState>();
  const theme = useTheme();
  const add = (id: string, label: string, to: string): PaletteCommand => ({
    id: `add ${id}`,
    icon: <PlusIcon />,
    label,
    run: () => void navigate(to),
  });
  const act = (id: string, icon: ReactNode, label: string, to: string): PaletteCommand => ({
    id,
    icon,
    label,
    run: () => void navigate(to),
  });
  return [
    ...(mayChange ? [add("monitor", t("monitors.add"), paths.monitorCreate)] : []),
    ...(mayChange ? [add("agent", t("agents.add"), paths.agentCreate)] : []),
    ...(mayChange
      ? [
          act("edit status page", <EditIcon />, t("palette.editStatusPage"), paths.statusConfig),
          act("announce incident", <WarnIcon />, t("palette.announce"), `${paths.statusConfig}?tab=incidents`),
          act(
            "plan maintenance",
            <PendingIcon />,
            t("palette.planMaintenance"),
            `${paths.statusConfig}?tab=maintenance`,
          ),
        ]
      : []),
    ...(isAdmin ? [add("user", t("users.add"), paths.userCreate)] : []),
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
    {
      id: "keyboard shortcuts",
      icon: <InfoIcon />,
      label: t("shortcuts.title"),
      run: () => showOverlay("shortcuts"),
    },
    ...(status === "authenticated"
      ? [{ id: "logout", icon: <LogoutIcon />, label: t("nav.logout"), run: () => logout(store) }]
      : []),
  ];
}
