import { maxSloTargets, type Slo, type SloWindow, sloWindows } from "@sonde/proto/http/slos";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { TimeZoneField } from "../../app/forms/time-zone-field.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { paths } from "../../app/paths.ts";
import { usePoliciesQuery } from "../../entities/on-call/api.ts";
import { ScopeFields } from "../../entities/targets/target-scope.tsx";
import { ObjectForm, storedOptions, useObjectId } from "../../lists/object-pages.tsx";
import { Card } from "../../ui/card.tsx";
import { chipClass } from "../../ui/choice.tsx";
import { cx } from "../../ui/cx.ts";
import { FormField, TextField } from "../../ui/form-field.tsx";
import { Switch } from "../../ui/inputs.tsx";
import { useCreateSloMutation, useSloQuery, useUpdateSloMutation } from "./api.ts";
import { pages, percentOf, spanOf } from "./budget.tsx";
import { checkValues, fieldOf, type SloValues, toInput, toPatch, toValues } from "./form-values.ts";

/** A new service level, or the one in the address. */
export default function FormScreen() {
  const id = useObjectId();
  const { currentData, ...query } = useSloQuery(id, storedOptions(id));
  return (
    <ObjectForm noun="slos" pages={pages} query={{ ...query, data: currentData?.slo }} fieldOf={fieldInSource}>
      {(slo) => <SloForm slo={slo} />}
    </ObjectForm>
  );
}

const fieldInSource = (name: string) =>
  name.startsWith("latency") ? "latency" : name === "policyId" ? "policy" : name;

function SloForm({ slo }: { slo?: Slo | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateSloMutation();
  const [update] = useUpdateSloMutation();
  const saveForm = useSaveForm<SloValues>({
    initial: toValues(slo),
    check: checkValues,
    fieldOf,
    fallback: "save",
    onSave: async (values) => {
      const input = toInput(values);
      const saving = slo === undefined ? create(input) : update({ id: slo.id, input: toPatch(input) });
      const { slo: saved, message } = await saving.unwrap();
      return () => void navigate(paths.slo(saved.id), { state: { notice: message }, replace: true });
    },
  });
  const { control } = saveForm.form;
  const [by, targets, window, burnAlerts] = useWatch({ control, name: ["by", "targets", "window", "burnAlerts"] });
  return (
    <SaveForm of={saveForm} draft="slo">
      <Card gap="gap-4">
        <TextField<SloValues> name="name" label={t("slos.fields.name")} autoFocus={slo === undefined} required />
        <ScopeFields type="monitor" max={maxSloTargets} hint={t("slos.targetsHint")} />
        {(by === "tag" || targets.length > 1) && (
          <FormField<SloValues>
            name="combine"
            label={t("slos.fields.combine")}
            hint={t("slos.combineHint")}
            options={(["worst", "mean"] as const).map((value) => ({ value, label: t(`slos.combine.${value}`) }))}
          />
        )}
      </Card>
      <Card gap="gap-4">
        <ObjectiveField />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField<SloValues>
            name="window"
            label={t("slos.fields.window")}
            options={sloWindows.map((value) => ({ value, label: t(`slos.windows.${value}`) }))}
          />
          {window === "month" && (
            <TimeZoneField<SloValues> name="timeZone" label={t("slos.fields.timeZone")} hint={t("slos.timeZoneHint")} />
          )}
        </div>
      </Card>
      <Card title={t("slos.latencyGoal")} gap="gap-4">
        <p className="text-muted">{t("slos.latencyText")}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField<SloValues>
            name="latencyMs"
            label={t("slos.fields.latencyMs")}
            placeholder="500"
            inputMode="numeric"
          />
          <TextField<SloValues> name="latencyPercent" label={t("slos.fields.latencyPercent")} inputMode="decimal" />
        </div>
      </Card>
      <Card title={t("slos.alerts")} gap="gap-4">
        <Switch
          {...saveForm.form.register("burnAlerts")}
          label={t("slos.fields.burnAlerts")}
          hint={t("slos.burnAlertsHint")}
        />
        {burnAlerts && <PolicyField />}
      </Card>
      <FormButtons
        of={saveForm}
        submit={t(slo === undefined ? "slos.add" : "common.saveChanges")}
        onCancel={() => void navigate(slo === undefined ? paths.slos : paths.slo(slo.id))}
      />
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </SaveForm>
  );
}

const usual = ["99", "99.5", "99.9", "99.95"];
const daysOf: Record<SloWindow, number> = { month: 30, "7d": 7, "28d": 28, "30d": 30, "90d": 90 };

function ObjectiveField() {
  const { t, i18n } = useTranslation();
  const { control, setValue } = useFormContext<SloValues>();
  const [objective, window] = useWatch({ control, name: ["objective", "window"] });
  const days = daysOf[window];
  const typed = Number(objective);
  const isValid = typed >= 50 && typed < 100;
  const span = spanOf((1 - typed / 100) * days * 1440, i18n.language);
  return (
    <div className="flex flex-col gap-2">
      <TextField<SloValues>
        name="objective"
        label={t("slos.fields.objective")}
        hint={
          isValid
            ? t("slos.allows", { objective: percentOf(typed, i18n.language), span, days })
            : t("slos.objectiveHint")
        }
        inputMode="decimal"
        className="max-w-80"
        required
      />
      <div role="group" aria-label={t("slos.usual")} className="flex flex-wrap gap-1.5">
        {usual.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={objective === value}
            onClick={() => setValue("objective", value, { shouldDirty: true, shouldValidate: true })}
            className={cx(chipClass, "tnum aria-pressed:border-accent aria-pressed:bg-accent-soft")}
          >
            {percentOf(Number(value), i18n.language)}
          </button>
        ))}
      </div>
    </div>
  );
}

function PolicyField() {
  const { t } = useTranslation();
  const { data } = usePoliciesQuery();
  const { getValues } = useFormContext<SloValues>();
  const stored = getValues("policyId");
  if (data === undefined || (data.total === 0 && stored === "")) return null;
  const options = data.policies.map(({ id, name }) => ({ value: String(id), label: name }));
  if (stored !== "" && !options.some(({ value }) => value === stored))
    options.push({ value: stored, label: t("slos.policyDeleted") });
  return (
    <FormField<SloValues>
      name="policyId"
      label={t("slos.fields.policyId")}
      options={[{ value: "", label: t("slos.policyDefault") }, ...options]}
    />
  );
}
