import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { RadioChips } from "../../ui/choice.tsx";
import { FieldError } from "../../ui/field.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Checkbox, Input } from "../../ui/inputs.tsx";
import type { MaintenanceValues } from "./form-values.ts";
import { weekdayName, weekdays } from "../../lib/weekdays.ts";
import { weekdayOf, endings, monthlies, repeats, useMonthlyWords } from "./recurrence.ts";

export function RecurrenceFields() {
  const { t } = useTranslation();
  const { getFieldState, formState, setValue } = useFormContext<MaintenanceValues>();
  const { repeat, ending } = useWatch<MaintenanceValues, "recurrence">({ name: "recurrence" });
  const error: unknown = getFieldState("recurrence", formState).error?.message;
  return (
    <div className="flex flex-col gap-4">
      <RadioChips
        label={t("maintenance.repeat")}
        value={repeat}
        onChange={(value) =>
          setValue("recurrence.repeat", value, { shouldDirty: true, shouldValidate: formState.isSubmitted })
        }
        options={repeats.map((value) => ({ value, label: t(`maintenance.repeats.${value}`) }))}
      />
      {repeat === "weekly" && <Days />}
      {repeat === "monthly" && <MonthlyField />}
      {repeat === "custom" && (
        <FormField<MaintenanceValues>
          name="recurrence.rrule"
          label={t("maintenance.fields.rrule")}
          hint={t("maintenance.ruleHint")}
          input={{ mono: true, spellCheck: false, maxLength: 500 }}
        />
      )}
      {repeat !== "once" && repeat !== "custom" && (
        <div className="grid gap-4 sm:grid-cols-[16rem_10rem]">
          <FormField<MaintenanceValues>
            name="recurrence.ending"
            label={t("maintenance.ending")}
            options={endings.map((value) => ({ value, label: t(`maintenance.endings.${value}`) }))}
          />
          {ending === "count" && (
            <FormField<MaintenanceValues> name="recurrence.count" label={t("maintenance.count")}>
              {(props) => <Input {...props} inputMode="numeric" maxLength={4} />}
            </FormField>
          )}
          {ending === "until" && (
            <FormField<MaintenanceValues> name="recurrence.until" label={t("maintenance.until")}>
              {(props) => <Input {...props} type="date" />}
            </FormField>
          )}
        </div>
      )}
      <FieldError text={typeof error === "string" ? error : undefined} />
    </div>
  );
}

function Days() {
  const { t, i18n } = useTranslation();
  const { setValue } = useFormContext<MaintenanceValues>();
  const [chosen, start] = useWatch<MaintenanceValues, ["recurrence.days", "start"]>({
    name: ["recurrence.days", "start"],
  });
  const shown = chosen.length > 0 ? chosen : [weekdayOf(start).weekday];
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-[13px] font-medium">{t("maintenance.days")}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1.5">
        {weekdays.map((day) => (
          <Checkbox
            key={day}
            label={weekdayName(day, i18n.language, "short")}
            aria-label={weekdayName(day, i18n.language)}
            checked={shown.includes(day)}
            onChange={({ target: { checked } }) =>
              setValue("recurrence.days", checked ? [...shown, day] : shown.filter((each) => each !== day), {
                shouldDirty: true,
              })
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function MonthlyField() {
  const { t } = useTranslation();
  const start = useWatch<MaintenanceValues, "start">({ name: "start" });
  const words = useMonthlyWords(start);
  return (
    <FormField<MaintenanceValues>
      name="recurrence.monthly"
      label={t("maintenance.monthly")}
      selectClass="w-full sm:w-64"
      options={monthlies.map((value) => ({ value, label: t(`maintenance.monthlies.${value}`, words) }))}
    />
  );
}
