import { useEffect, useEffectEvent } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useLocationsQuery } from "../../../app/locations.tsx";
import { type FormValues, impliedTimeout } from "./form-values.ts";
import { formatDuration } from "../../../lib/format.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { Checkbox, Input, Textarea } from "../../../ui/inputs.tsx";

/** How long a check may take, how failures are repeated, from where, and how it is found again. */
export function ScheduleFields() {
  const { t, i18n } = useTranslation();
  const interval = useWatch<FormValues, "interval">({ name: "interval" });
  const timeout = formatDuration(impliedTimeout(interval) * 1000, i18n.language);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField<FormValues>
          name="timeout"
          label={t("monitorForm.timeout")}
          hint={t("monitorForm.timeoutHint", { timeout })}
        >
          {(props) => <Input {...props} />}
        </FormField>
        <FormField<FormValues> name="retries" label={t("monitorForm.retries")} hint={t("monitorForm.retriesHint")}>
          {(props) => <Input {...props} inputMode="numeric" />}
        </FormField>
      </div>
      <FormField<FormValues>
        name="description"
        label={t("monitorForm.description")}
        hint={t("monitorForm.descriptionHint")}
      >
        {(props) => <Textarea {...props} rows={2} />}
      </FormField>
      <FormField<FormValues> name="tags" label={t("monitorForm.tags")} hint={t("monitorForm.tagsHint")}>
        {(props) => <Input {...props} />}
      </FormField>
      <Locations />
    </>
  );
}

/** Only where there is a choice: one location is no question. */
function Locations() {
  const { t } = useTranslation();
  const { register, resetField, formState, getValues } = useFormContext<FormValues>();
  const { data } = useLocationsQuery();
  const offered = (data?.locations ?? []).filter(({ runners }) => runners > 0);
  // A new monitor is proposed the location that the server would choose.
  const propose = useEffectEvent(() => {
    const proposed = offered.find(({ name }) => name === "default") ?? (offered.length === 1 ? offered[0] : undefined);
    if (proposed !== undefined && getValues("locations").length === 0)
      resetField("locations", { defaultValue: [proposed.name] });
  });
  useEffect(() => propose(), [data]);
  // A location that the monitor names but that is not offered any more must not get lost unseen.
  const gone = getValues("locations").filter(
    (name) => data !== undefined && !offered.some((each) => each.name === name),
  );
  const error = formState.errors.locations?.message;
  if (offered.length <= 1 && gone.length === 0 && error === undefined) return null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-[13px] font-medium">{t("monitorForm.locations")}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        {[...offered, ...gone.map((name) => ({ name, runners: 0 }))].map(({ name, runners }) => (
          <Checkbox
            key={name}
            value={name}
            {...register("locations")}
            label={
              <span>
                {name}{" "}
                <span className="text-[13px] text-faint">
                  {runners === 0 ? t("monitorForm.noRunners") : t("monitorForm.runners", { count: runners })}
                </span>
              </span>
            }
          />
        ))}
      </div>
      {error === undefined ? (
        <p className="text-[13px] text-faint">{t("monitorForm.locationsHint")}</p>
      ) : (
        <p role="alert" className="text-[13px] text-down-ink">
          {error}
        </p>
      )}
    </fieldset>
  );
}
