import type { TemplateKind } from "@sonde/proto/http/incidents/alerts";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { languageNames, languages } from "../../../app/i18n.ts";
import { ChannelChoice } from "../../../entities/notifications/channel-choice.tsx";
import { TimeZoneField } from "../../../app/forms/time-zone-field.tsx";
import { paths } from "../../../app/paths.ts";
import { usePoliciesQuery } from "../../../entities/on-call/api.ts";
import { formatDateTime, formatLocalDate, formatSpan, formatTime } from "../../../lib/format.ts";
import { FieldError } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Checkbox, Input, Switch } from "../../../ui/inputs.tsx";
import { type NextReminder, useChannelsQuery, useTemplatesQuery } from "../api.ts";
import { type AlertMetric, events, metrics, readMinutes, type SettingsValues } from "./form-values.ts";

type ChannelsName = "channels" | `rules.${number}.channels`;

export function ChannelFields({ name }: { name: ChannelsName }) {
  const { data, error } = useChannelsQuery();
  const { field, fieldState } = useController<SettingsValues, ChannelsName>({ name });
  const { value, onChange, onBlur } = field;
  return (
    <ChannelChoice
      isRule={name !== "channels"}
      channels={data?.channels}
      failure={error}
      error={fieldState.error?.message}
      {...{ value, onChange, onBlur }}
    />
  );
}

export function EventFields({ type }: { type: TargetType }) {
  const { t } = useTranslation();
  const { register } = useFormContext<SettingsValues>();
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-2">
      {events[type].map((event) => (
        <Checkbox key={event} label={t(`notificationSettings.event.${event}`)} {...register(`events.${event}`)} />
      ))}
    </div>
  );
}

export function ThresholdFields() {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-3 sm:grid-cols-3">
        {metrics.map((metric) => (
          <ThresholdField key={metric} metric={metric} />
        ))}
      </div>
      <p className="text-[13px] text-faint">{t("notificationSettings.thresholdsHint")}</p>
    </div>
  );
}

function ThresholdField({ metric }: { metric: AlertMetric }) {
  const { t } = useTranslation();
  const { register, getFieldState, formState } = useFormContext<SettingsValues>();
  const isOn = useWatch<SettingsValues, `thresholds.${AlertMetric}.on`>({ name: `thresholds.${metric}.on` });
  const path = `thresholds.${metric}.percent` as const;
  const error = getFieldState(path, formState).error?.message;
  const name = t(`notificationSettings.metric.${metric}`);
  const errorId = `${metric}-threshold-error`;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex min-h-9 items-center gap-3">
        <Checkbox
          className="w-20 shrink-0"
          aria-label={t("notificationSettings.thresholdOn", { metric: name })}
          label={name}
          {...register(`thresholds.${metric}.on`)}
        />
        {isOn ? (
          <span className="flex items-center gap-1.5">
            <Input
              inputMode="decimal"
              autoComplete="off"
              aria-label={t("notificationSettings.thresholdOf", { metric: name })}
              aria-invalid={error !== undefined || undefined}
              aria-describedby={error === undefined ? undefined : errorId}
              className="tnum w-16! text-right"
              {...register(path)}
            />
            <span aria-hidden="true" className="text-muted">
              %
            </span>
          </span>
        ) : (
          <span className="text-muted">{t("notificationSettings.off")}</span>
        )}
      </div>
      {isOn && <FieldError id={errorId} text={error} />}
    </div>
  );
}

export function ReminderFields({ next }: { next: NextReminder | undefined }) {
  const { t, i18n } = useTranslation();
  const minutes = readMinutes(useWatch<SettingsValues, "cooldownMinutes">({ name: "cooldownMinutes" }));
  return (
    <div className="flex flex-col gap-2">
      <FormField<SettingsValues>
        name="cooldownMinutes"
        label={t("notificationSettings.interval")}
        hint={t("notificationSettings.intervalHint")}
        className="max-w-64"
        input={{ spellCheck: false }}
      />
      {Number.isFinite(minutes) && (
        <p className="text-muted">
          {minutes === 0
            ? t("notificationSettings.reminderNone")
            : t("notificationSettings.reminderEvery", { span: formatSpan(minutes * 60_000, i18n.language) })}
          {minutes > 0 && next !== undefined && (
            <>
              {" "}
              <Next next={next} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

function Next({ next: { at, target, incidentId } }: { next: NextReminder }) {
  const { t, i18n } = useTranslation();
  const isToday = formatLocalDate(at, "en-US") === formatLocalDate(Date.now(), "en-US");
  const time = isToday ? formatTime(at, i18n.language) : formatDateTime(at, i18n.language);
  return (
    <span className="tnum">
      {t("notificationSettings.reminderNext", { time })}{" "}
      <Link to={paths.incident(incidentId)} className="font-medium text-ink underline">
        {target.name}
      </Link>
    </span>
  );
}

export function QuietFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<SettingsValues>();
  const { on, start, end } = useWatch<SettingsValues, "quietHours">({ name: "quietHours" });
  return (
    <div className="flex flex-col gap-4">
      <Switch
        label={t("notificationSettings.quietOn")}
        hint={t("notificationSettings.quietHint")}
        {...register("quietHours.on")}
      />
      {on && (
        <div className="grid gap-4 sm:grid-cols-[9rem_9rem_minmax(0,1fr)]">
          <FormField<SettingsValues> name="quietHours.start" label={t("notificationSettings.quietFrom")}>
            {(props) => <Input {...props} type="time" />}
          </FormField>
          <FormField<SettingsValues>
            name="quietHours.end"
            label={t("notificationSettings.quietTo")}
            hint={start > end ? t("notificationSettings.quietNextDay", { end }) : undefined}
            input={{ type: "time" }}
          />
          <TimeZoneField<SettingsValues> name="quietHours.timeZone" label={t("notificationSettings.timeZone")} />
        </div>
      )}
    </div>
  );
}

export function PolicyField({ name }: { name: "policyId" | `rules.${number}.policyId` }) {
  const { t } = useTranslation();
  const isRule = name !== "policyId";
  const { data } = usePoliciesQuery();
  const policies = (data?.policies ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    // A select needs a new key when its options arrive later, or it loses its value.
    <FormField<SettingsValues>
      key={policies.length}
      name={name}
      className="max-w-96"
      label={t("notificationSettings.policy")}
      hint={
        isRule ? undefined : (
          <>
            {t("notificationSettings.policyHint")}{" "}
            <Link to={paths.policies} className="underline">
              {t("notificationSettings.policies")}
            </Link>
          </>
        )
      }
      options={[
        { value: "", label: t(isRule ? "notificationSettings.rulePolicy" : "notificationSettings.noPolicy") },
        ...policies,
      ]}
    />
  );
}

/** Notification kinds that a type of target never has. Their templates are not offered. */
const foreign: Record<TargetType, readonly TemplateKind[]> = {
  monitor: ["offline", "online", "threshold", "cleared"],
  agent: ["down", "recovery", "partial", "whole", "slow", "fast", "external", "resolved", "burning", "calm"],
};

export function MessageFields({ type }: { type: TargetType }) {
  const { t } = useTranslation();
  const { data } = useTemplatesQuery();
  const templates = (data?.templates ?? [])
    .filter(({ kind }) => !foreign[type].includes(kind))
    .map(({ id, name, kind }) => ({ value: id, label: `${name} · ${t(`notifications.kinds.${kind}`)}` }));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField<SettingsValues>
        name="language"
        label={t("notificationSettings.language")}
        options={languages.map((value) => ({ value, label: languageNames[value], lang: value }))}
      />
      {/* A select needs a new key when its options arrive later, or it loses its value. */}
      <FormField<SettingsValues>
        key={templates.length}
        name="templateId"
        label={t("notificationSettings.fields.templateId")}
        hint={t("notificationSettings.templateHint")}
        options={[{ value: "", label: t("notificationSettings.builtIn") }, ...templates]}
      />
    </div>
  );
}
