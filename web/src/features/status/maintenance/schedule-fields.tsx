import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { PlayIcon } from "../../../ui/icons.tsx";
import { Input, Select } from "../../../ui/inputs.tsx";
import type { MaintenanceValues } from "./form-values.ts";
import { instantOf, ownTimeZone, wallTime, zonesWith } from "./zone-time.ts";
import { When } from "./when.tsx";

const hourMs = 3_600_000;

/** From when to when, by which clock. @param offersNow a button sets the next hour from now on */
export function ScheduleFields({ offersNow }: { offersNow: boolean }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { setValue, formState } = useFormContext<MaintenanceValues>();
  const [start, end, timeZone] = useWatch<MaintenanceValues, ["start", "end", "timeZone"]>({
    name: ["start", "end", "timeZone"],
  });
  function startNow() {
    const options = { shouldDirty: true, shouldValidate: formState.isSubmitted };
    const nowMs = Date.now();
    setValue("start", wallTime(nowMs, timeZone), options);
    setValue("end", wallTime(nowMs + hourMs, timeZone), options);
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-[13rem_13rem_minmax(0,1fr)]">
        <FormField<MaintenanceValues> name="start" label={t("maintenance.start")} required>
          {(props) => <Input {...props} type="datetime-local" aria-required />}
        </FormField>
        <FormField<MaintenanceValues> name="end" label={t("maintenance.end")} required>
          {(props) => <Input {...props} type="datetime-local" aria-required />}
        </FormField>
        <FormField<MaintenanceValues>
          name="timeZone"
          label={t("maintenance.timeZone")}
          hint={t("maintenance.timeZoneHint")}
          className="sm:col-span-2 lg:col-span-1"
        >
          {(props) => (
            <Select {...props} className="w-full">
              {zonesWith(timeZone).map((zone) => (
                <option key={zone} value={zone}>
                  {zone}
                </option>
              ))}
            </Select>
          )}
        </FormField>
      </div>
      <p className="text-[13px] text-muted empty:hidden" aria-live="polite">
        {timeZone !== ownTimeZone() && <InOwnTime start={start} end={end} timeZone={timeZone} />}
      </p>
      {offersNow && mayChange && (
        <Button size="sm" className="self-start" onClick={startNow}>
          <PlayIcon />
          {t("maintenance.now")}
        </Button>
      )}
    </div>
  );
}

function InOwnTime({ start, end, timeZone }: { start: string; end: string; timeZone: string }) {
  const [fromMs, toMs] = [instantOf(start, timeZone), instantOf(end, timeZone)];
  if (fromMs === null || toMs === null || toMs <= fromMs) return null;
  return <When start={new Date(fromMs).toISOString()} end={new Date(toMs).toISOString()} timeZone={timeZone} />;
}
