import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { parseDuration } from "../../../lib/typed.ts";
import { formatDuration } from "../../../lib/format.ts";
import { Button } from "../../../ui/button.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { type FormValues, writeMinutes } from "./form-values.ts";

const presetSeconds = [10, 30, 60, 300, 900, 1800, 3600];

/** How often it is checked: one of the usual intervals by a click, any other as people write it. */
export function IntervalField() {
  const { t, i18n } = useTranslation();
  const { data: config } = useConfigQuery();
  const { setValue, formState } = useFormContext<FormValues>();
  const { isSubmitted } = formState;
  const interval = useWatch<FormValues, "interval">({ name: "interval" });
  const shortest = (config?.minIntervalMinutes ?? 1) * 60;
  const chosen = interval.trim() === "" ? 60 : parseDuration(interval, "m");
  return (
    <FormField<FormValues> name="interval" label={t("monitorForm.interval")} hint={t("monitorForm.intervalHint")}>
      {(props) => (
        <div className="flex flex-wrap items-center gap-2">
          <Input {...props} className="max-w-28" />
          <div role="group" aria-label={t("monitorForm.intervalPresets")} className="flex flex-wrap gap-1.5">
            {presetSeconds
              .filter((seconds) => seconds >= shortest)
              .map((seconds) => (
                <Button
                  key={seconds}
                  size="sm"
                  aria-pressed={seconds === chosen}
                  onClick={() =>
                    setValue("interval", writeMinutes(seconds / 60), { shouldDirty: true, shouldValidate: isSubmitted })
                  }
                  className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
                >
                  {formatDuration(seconds * 1000, i18n.language)}
                </Button>
              ))}
          </div>
        </div>
      )}
    </FormField>
  );
}
