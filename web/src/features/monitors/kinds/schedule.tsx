import { type FieldValues, get, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { fieldErrorsOf } from "../../../app/errors.ts";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { formatDateTime, ownTimeZone } from "../../../lib/format.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { TimeZoneField } from "../../../app/forms/time-zone-field.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { Field, Lockable } from "../../../ui/field.tsx";
import { TextField } from "../../../ui/form-field.tsx";
import { Input, Select } from "../../../ui/inputs.tsx";
import { useScheduleQuery } from "../heartbeat/api.ts";
import type { ScheduleValues } from "./codecs.ts";
import type { FieldProps } from "./field.ts";

export function ScheduleField(props: FieldProps) {
  const { path } = props;
  const { t } = useTranslation();
  const { setValue } = useFormContext<FieldValues>();
  const by = useWatch<FieldValues>({ name: `${path}.by` }) as ScheduleValues["by"];
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Segmented
          label={t("heartbeat.form.by")}
          value={by}
          onChange={(next) => setValue(`${path}.by`, next, { shouldDirty: true })}
          options={[
            { value: "every", label: t("heartbeat.form.byEvery") },
            { value: "cron", label: t("heartbeat.form.byCron") },
          ]}
        />
      </div>
      {by === "every" ? <EveryField {...props} /> : <CronFields />}
    </div>
  );
}

function EveryField({ path, form }: FieldProps) {
  const { t } = useTranslation();
  const text = useText();
  const { register, formState } = useFormContext<FieldValues>();
  const error = get(formState.errors, path) as { message?: string } | undefined;
  return (
    <Lockable name={path}>
      <Field label={text(form.label)} hint={form.hint && text(form.hint)} error={error?.message} required>
        {(ids) => (
          <span className="flex max-w-60 gap-2">
            <Input {...ids} {...register(`${path}.amount`)} aria-required autoComplete="off" inputMode="numeric" />
            <Select
              className="w-28 shrink-0"
              {...register(`${path}.unit`)}
              aria-label={t("heartbeat.form.unit")}
              options={(["m", "h", "d"] satisfies ScheduleValues["unit"][]).map((value) => ({
                value,
                label: t(`heartbeat.form.units.${value}`),
              }))}
            />
          </span>
        )}
      </Field>
    </Lockable>
  );
}

const typingMs = 400;

function CronFields() {
  const text = useText();
  const { cron, timeZone } = kindForms.heartbeat.fields;
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField<FieldValues>
          name="heartbeat.cron"
          label={cron && text(cron.label)}
          hint={cron?.hint && text(cron.hint)}
          placeholder={cron?.placeholder}
          mono
          required
        />
        <TimeZoneField<FieldValues> name="heartbeat.timeZone" label={timeZone && text(timeZone.label)} />
      </div>
      <NextRuns />
    </div>
  );
}

/** The next runs, computed by the server, or why the expression is invalid. */
function NextRuns() {
  const { t, i18n } = useTranslation();
  const [cron, timeZone] = useWatch<FieldValues>({ name: ["heartbeat.cron", "heartbeat.timeZone"] }) as string[];
  const { formState, getFieldState } = useFormContext<FieldValues>();
  const typed = (cron ?? "").trim();
  const settled = useSettled(typed, typingMs);
  const isTyping = settled !== typed;
  const { currentData, error } = useScheduleQuery(
    { cron: settled, timeZone: timeZone ?? "UTC" },
    { skip: settled === "" },
  );
  const failure = isTyping ? undefined : fieldErrorsOf(error)[0]?.message;
  const isMarked = getFieldState("heartbeat.cron", formState).error !== undefined;
  return (
    <div aria-live="polite" className="text-[13px]">
      {failure !== undefined && settled !== "" ? (
        // After a save, the field shows the error.
        !isMarked && <p className="text-down-ink">{failure}</p>
      ) : currentData === undefined || isTyping ? (
        <p className="text-faint">{typed === "" ? t("heartbeat.form.noNext") : " "}</p>
      ) : (
        <>
          <p className="font-medium">
            {t("heartbeat.form.next")}{" "}
            <span className="font-normal text-faint">{t("heartbeat.form.nextIn", { zone: ownTimeZone() })}</span>
          </p>
          <ol className="tnum mt-1 flex flex-wrap gap-x-5 gap-y-0.5 text-muted">
            {currentData.next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{formatDateTime(at, i18n.language)}</time>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
