import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { changeLanguage, languageNames, languages } from "../../app/i18n.ts";
import { TimeZoneInput } from "../../app/forms/time-zone-field.tsx";
import { readStored, writeStored } from "../../app/storage.ts";
import { setTheme, themes, useTheme } from "../../app/theme.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { RadioChips } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { PingKeyCard } from "./ping-key-card.tsx";

export default function GeneralScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    <div className="max-w-2xl">
      <PageHeader title={t("settings.general")} />
      <div className="flex flex-col gap-4">
        <Preferences />
        {mayChange && <PingKeyCard />}
      </div>
    </div>
  );
}

function Preferences() {
  const { t, i18n } = useTranslation();
  return (
    <Card title={t("settings.preferences.title")} gap="gap-4">
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        <RadioChips
          label={t("nav.theme")}
          value={useTheme()}
          onChange={setTheme}
          options={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
        />
        <RadioChips
          label={t("nav.language")}
          value={i18n.language as Language}
          onChange={(language) => void changeLanguage(language)}
          options={languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))}
        />
      </div>
      <TimeZone />
      <p className="text-[13px] text-faint">{t("settings.preferences.note")}</p>
    </Card>
  );
}

/** Time zone for all times. Changing it reloads the page, because every time on it changes. */
function TimeZone() {
  const { t } = useTranslation();
  const stored = readStored("timeZone");
  const choose = (zone: string | null) => {
    writeStored("timeZone", zone);
    location.reload();
  };
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ofBrowser = t("settings.preferences.browserZone", { zone: browserZone });
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field
        label={t("settings.preferences.timeZone")}
        hint={stored === null ? ofBrowser : undefined}
        className="w-full max-w-xs"
      >
        {(ids) => <TimeZoneInput {...ids} zone={stored ?? browserZone} onZone={choose} />}
      </Field>
      {stored !== null && <Button onClick={() => choose(null)}>{ofBrowser}</Button>}
    </div>
  );
}
