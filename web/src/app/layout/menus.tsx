import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import {
  ChevronDownIcon,
  GlobeIcon,
  MoonIcon,
  ScreenIcon,
  SunIcon,
  LogoutIcon,
  PageIcon,
  SettingsIcon,
  UserIcon,
  UsersIcon,
} from "../../ui/icons.tsx";
import { cx } from "../../ui/cx.ts";
import type { MenuEntry } from "../../ui/menu/entries.ts";
import { Menu } from "../../ui/menu/menu.tsx";
import { changeLanguage, languageNames, languages } from "../i18n.ts";
import { setTheme, type Theme, themes, useTheme } from "../theme.ts";
import { useStore } from "react-redux";
import { Badge } from "../../ui/badge.tsx";
import { useSession } from "../hooks.ts";
import { logout } from "../me.ts";
import { documentation, paths } from "../paths.ts";
import type { RootState } from "../store.ts";
import { usePendingUsers } from "../config.ts";

const themeIcons = { light: <SunIcon />, dark: <MoonIcon />, auto: <ScreenIcon /> };

export function LanguageSwitcher() {
  const { t, i18n } = useTranslation();
  const hasLinks = useSession().status === "authenticated";
  const language = i18n.language as Language;
  return (
    <Menu
      variant="ghost"
      size="sm"
      className="max-sm:size-11 max-sm:px-0"
      aria-label={`${t("nav.language")}: ${languageNames[language]}`}
      entries={[
        {
          kind: "choice",
          value: language,
          onChange: (next) => void changeLanguage(next as Language),
          options: languages.map((value) => ({ value, label: languageNames[value], lang: value })),
        },
      ]}
    >
      <GlobeIcon />
      {/* The links of the bar need the room. */}
      <span className={cx("hidden sm:inline", hasLinks && "xl:hidden")}>{languageNames[language]}</span>
      <ChevronDownIcon className="size-3 max-sm:hidden" />
    </Menu>
  );
}

export function ThemeSwitcher() {
  const { t } = useTranslation();
  const theme = useTheme();
  return (
    <Menu
      variant="ghost"
      size="icon"
      aria-label={`${t("nav.theme")}: ${t(`theme.${theme}`)}`}
      entries={[
        {
          kind: "choice",
          value: theme,
          onChange: (next) => setTheme(next as Theme),
          options: themes.map((value) => ({ value, label: t(`theme.${value}`), icon: themeIcons[value] })),
        },
      ]}
    >
      {themeIcons[theme]}
    </Menu>
  );
}

function initialOf(username: string | undefined): string {
  const [first] = username?.trim() ?? "";
  return first?.toUpperCase() ?? "U";
}

export function UserMenu() {
  const { t, i18n } = useTranslation();
  const { user, isAdmin } = useSession();
  const store = useStore<RootState>();
  const username = user?.username ?? "";
  const waiting = usePendingUsers();
  const waitingNote = waiting === 0 ? null : t("nav.waiting", { count: waiting });
  const usersEntry: MenuEntry = {
    kind: "link",
    to: paths.users,
    icon: <UsersIcon />,
    label: (
      <>
        <span className="flex-1">{t("nav.users")}</span>
        {waitingNote !== null && (
          <Badge tone="warn" className="tnum">
            <span aria-hidden="true">{waiting}</span>
            <span className="sr-only">{waitingNote}</span>
          </Badge>
        )}
      </>
    ),
  };
  const who = (
    <>
      {t("nav.loggedInAs")}
      <span className="block max-w-56 truncate font-medium text-ink">{username}</span>
    </>
  );
  return (
    <Menu
      variant="ghost"
      size="sm"
      title={[t("nav.account", { username }), waitingNote].filter((line) => line !== null).join(" · ")}
      className="max-w-44 min-w-0 shrink! px-1.5 max-sm:size-11"
      entries={[
        { kind: "label", content: who },
        { kind: "separator" },
        ...(isAdmin ? [usersEntry] : []),
        { kind: "link", to: paths.settings, icon: <SettingsIcon />, label: t("nav.settings") },
        { kind: "link", to: paths.profile, icon: <UserIcon />, label: t("nav.profile") },
        { kind: "page", href: documentation(i18n.language), icon: <PageIcon />, label: t("nav.docs") },
        { kind: "separator" },
        { kind: "action", onSelect: () => logout(store), icon: <LogoutIcon />, label: t("nav.logout") },
      ]}
    >
      <span
        aria-hidden="true"
        className="relative grid size-6 shrink-0 place-items-center rounded-full bg-accent text-[12px] font-semibold text-on-accent"
      >
        {initialOf(user?.username)}
        {waitingNote !== null && (
          <span className="absolute -top-0.5 -right-0.5 size-2.5 rounded-full border-2 border-ground bg-warn" />
        )}
      </span>
      <span className="truncate max-md:sr-only">{username}</span>
      <ChevronDownIcon className="hidden size-3 md:inline" />
    </Menu>
  );
}
