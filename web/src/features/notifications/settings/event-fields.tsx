import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Checkbox, Input } from "../../../ui/inputs.tsx";
import { events, type AlertMetric, metrics, type SettingsValues } from "./form-values.ts";

/** Of which events people are notified. */
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

/** From which percentage on an agent's CPU, memory and disks are reported; each may be off. */
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
      {isOn && error !== undefined && (
        <p id={errorId} role="alert" className="text-[13px] text-down-ink">
          {error}
        </p>
      )}
    </div>
  );
}
