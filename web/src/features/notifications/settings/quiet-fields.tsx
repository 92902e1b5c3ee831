import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Select, Switch } from "../../../ui/inputs.tsx";
import { ownTimeZone, type SettingsValues } from "./form-values.ts";

/** The zones to choose from; the stored one and the browser's are always among them. */
function zonesWith(stored: string): string[] {
  const all = new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ownTimeZone(), stored]);
  return [...all].filter((zone) => zone !== "").toSorted((one, other) => one.localeCompare(other));
}

/** When no one is to be woken: from, to, and by which clock. */
export function QuietFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<SettingsValues>();
  const quiet = useWatch<SettingsValues, "quiet">({ name: "quiet" });
  const isOverMidnight = quiet.start > quiet.end;
  return (
    <div className="flex flex-col gap-4">
      <Switch
        label={t("notificationSettings.quietOn")}
        hint={t("notificationSettings.quietHint")}
        {...register("quiet.on")}
      />
      {quiet.on && (
        <div className="grid gap-4 sm:grid-cols-[9rem_9rem_minmax(0,1fr)]">
          <FormField<SettingsValues> name="quiet.start" label={t("notificationSettings.quietFrom")}>
            {(props) => <Input {...props} type="time" />}
          </FormField>
          <FormField<SettingsValues>
            name="quiet.end"
            label={t("notificationSettings.quietTo")}
            hint={isOverMidnight ? t("notificationSettings.quietNextDay", { end: quiet.end }) : undefined}
          >
            {(props) => <Input {...props} type="time" />}
          </FormField>
          <FormField<SettingsValues> name="quiet.timeZone" label={t("notificationSettings.timeZone")}>
            {(props) => (
              <Select {...props} className="w-full">
                {zonesWith(quiet.timeZone).map((zone) => (
                  <option key={zone} value={zone}>
                    {zone}
                  </option>
                ))}
              </Select>
            )}
          </FormField>
        </div>
      )}
    </div>
  );
}
