import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import { changeLanguage, languageNames, languages } from "../../app/i18n.ts";
import { setTheme, themes, useTheme } from "../../app/theme.ts";
import { Card } from "../../ui/card.tsx";
import { Segmented } from "../../ui/choice.tsx";

/** Theme and language: they apply at once and need no saving. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const theme = useTheme();
  return (
    <Card title={t("profile.preferences.title")}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-x-8 gap-y-4">
          <div className="flex flex-col items-start gap-1.5">
            <span aria-hidden="true" className="text-[13px] font-medium">
              {t("nav.theme")}
            </span>
            <Segmented
              label={t("nav.theme")}
              value={theme}
              onChange={setTheme}
              options={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
            />
          </div>
          <div className="flex flex-col items-start gap-1.5">
            <span aria-hidden="true" className="text-[13px] font-medium">
              {t("nav.language")}
            </span>
            <Segmented
              label={t("nav.language")}
              value={i18n.language as Language}
              onChange={(language) => void changeLanguage(language)}
              options={languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))}
            />
          </div>
        </div>
        <p className="text-[13px] text-faint">{t("profile.preferences.note")}</p>
      </div>
    </Card>
  );
}
