import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import { ChevronDownIcon, GlobeIcon, MoonIcon, ScreenIcon, SunIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { changeLanguage } from "../i18n.ts";
import { languageNames, languages } from "../language.ts";
import { setTheme, type Theme, themes, useTheme } from "../theme.ts";

const themeIcons = { light: <SunIcon />, dark: <MoonIcon />, auto: <ScreenIcon /> };

/** Chinese or English, at once and for the next visit. */
export function LanguageSwitcher() {
  const { t, i18n } = useTranslation();
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
      <span className="hidden sm:inline">{languageNames[language]}</span>
      <ChevronDownIcon className="size-3 max-sm:hidden" />
    </Menu>
  );
}

/** Light, dark, or as the system has it. */
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
