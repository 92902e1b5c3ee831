import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { changeLanguage, languageNames, languages } from "../../app/i18n.ts";
import { readStored, writeStored } from "../../app/storage.ts";
import { setTheme, themes, useTheme } from "../../app/theme.ts";
import { zonesWith } from "../../lib/zone-time.ts";
import { Card } from "../../ui/card.tsx";
import { RadioChips } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/inputs.tsx";
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
  const stored = readStored("timeZone") ?? "";
  const choose = (zone: string) => {
    writeStored("timeZone", zone === "" ? null : zone);
    location.reload();
  };
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const options = [
    { value: "", label: t("settings.preferences.browserZone", { zone: ownZone }) },
    ...zonesWith(stored).map((zone) => ({ value: zone, label: zone })),
  ];
  return (
    <Field label={t("settings.preferences.timeZone")}>
      {(ids) => (
        <Select
          {...ids}
          className="max-w-xs"
          options={options}
          value={stored}
          onChange={(event) => choose(event.target.value)}
        />
      )}
    </Field>
  );
}
