import type { TemplateKind } from "@sonde/proto/http/incidents/alerts";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { languageNames, languages } from "../../../app/i18n.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { useTemplatesQuery } from "../api.ts";
import type { SettingsValues } from "./form-values.ts";

/** What only the other type of target is notified of: its templates are of no use here. */
const foreign: Record<TargetType, readonly TemplateKind[]> = {
  monitor: ["offline", "online", "threshold", "cleared"],
  agent: ["down", "recovery"],
};

/** In which language, and with which template, messages are written. */
export function MessageFields({ type }: { type: TargetType }) {
  const { t } = useTranslation();
  const { data } = useTemplatesQuery();
  const templates = data?.templates.filter(({ kind }) => !foreign[type].includes(kind)) ?? [];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField<SettingsValues> name="language" label={t("notificationSettings.language")}>
        {(props) => (
          <Select {...props} className="w-full">
            {languages.map((language) => (
              <option key={language} value={language} lang={language}>
                {languageNames[language]}
              </option>
            ))}
          </Select>
        )}
      </FormField>
      <FormField<SettingsValues>
        name="templateId"
        label={t("notificationSettings.template")}
        hint={t("notificationSettings.templateHint")}
      >
        {/* A select that gets its options later must be given its value again. */}
        {(props) => (
          <Select key={templates.length} {...props} className="w-full">
            <option value="">{t("notificationSettings.builtIn")}</option>
            {templates.map(({ id, name, kind }) => (
              <option key={id} value={id}>
                {name} · {t(`notifications.kinds.${kind}`)}
              </option>
            ))}
          </Select>
        )}
      </FormField>
    </div>
  );
}
