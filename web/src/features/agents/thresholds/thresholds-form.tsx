import { type AgentSettings, agentSettings } from "@sonde/proto/http/notifications/settings";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { FormMessages, ownField, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { parseTypedNumber } from "../../../lib/typed.ts";
import { Button } from "../../../ui/button.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { type ThresholdMetric, thresholdMetrics, type Thresholds } from "../meter.tsx";
import { useSaveAgentSettingsMutation } from "../api.ts";

type Values = Record<ThresholdMetric, string>;

const ofEach = <Value,>(valueOf: (metric: ThresholdMetric) => Value): Record<ThresholdMetric, Value> => ({
  cpu: valueOf("cpu"),
  memory: valueOf("memory"),
  disk: valueOf("disk"),
});
const toValues = (thresholds: Thresholds): Values => ofEach((metric) => String(thresholds[metric] ?? ""));
const toThresholds = (values: Values): Thresholds => ofEach((metric) => parseTypedNumber(values[metric]) ?? null);

type ThresholdsFormProps = {
  id: number;
  all: AllSettings;
  /** Called with the success message, or `null` if nothing was saved. */
  onClose: (saved: string | null) => void;
};

/**
 * Edits three percentages. They are part of the agent's own notification settings, which replace the global ones
 * completely: an agent without its own settings starts with a copy of the global ones.
 */
export default function ThresholdsForm({ id, all, onClose }: ThresholdsFormProps) {
  const { t } = useTranslation();
  const own: AgentSettings | undefined = all.agents[String(id)];
  const settings: AgentSettings = own ?? all.globalAgent;
  const [save] = useSaveAgentSettingsMutation();
  const saveForm = useSaveForm<Values>({
    initial: toValues(settings.thresholds),
    check: (values) => schemaErrors(agentSettings.shape.thresholds, toThresholds(values)),
    // `thresholds.cpu` is the field `cpu`.
    fieldOf: (path, values) => ownField(path.replace(/^thresholds\./, ""), values),
    fallback: "saveSettings",
    onSave: async (values) => {
      await save({ id, settings: { ...settings, thresholds: toThresholds(values) } }).unwrap();
      onClose(t("agentThresholds.saved"));
    },
  });
  const { form, isDirty, isSaving } = saveForm;
  return (
    <FormProvider {...form}>
      <form noValidate aria-label={t("agentThresholds.edit")} onSubmit={saveForm.submit}>
        <div className="flex flex-col gap-4">
          <FormMessages of={saveForm} />
          <div className="grid max-w-lg grid-cols-3 gap-4">
            {thresholdMetrics.map((metric, index) => (
              <FormField<Values> key={metric} name={metric} label={t(`agents.${metric}`)}>
                {(props) => (
                  <span className="flex items-center gap-1.5">
                    {/* The button that opened the form is gone, so the form takes the focus. */}
                    <Input
                      {...props}
                      autoFocus={index === 0}
                      inputMode="decimal"
                      placeholder={t("agentThresholds.off")}
                      className="tnum max-w-32 text-right"
                    />
                    <span aria-hidden="true" className="text-muted">
                      %
                    </span>
                  </span>
                )}
              </FormField>
            ))}
          </div>
          <p className="max-w-prose text-[13px] text-faint">
            {t("agentThresholds.hint")} {own === undefined && t("agentThresholds.makesOwn")}
          </p>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => onClose(null)} disabled={isSaving}>
              {t("common.cancel")}
            </Button>
            <Button
              type="submit"
              variant="primary"
              disabled={!isDirty}
              saving={isSaving}
              savingLabel={t("common.saving")}
            >
              {t("agentThresholds.save")}
            </Button>
          </div>
        </div>
      </form>
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </FormProvider>
  );
}
