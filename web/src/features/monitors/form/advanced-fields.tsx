import { type CheckType, isPassive } from "@sonde/proto/http/monitors/kinds";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { lazy, Suspense, useEffect, useEffectEvent, useState } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useLocationsQuery } from "../../../app/locations.tsx";
import { sharedForm } from "../../../entities/kinds/shared.ts";
import { TargetPicker } from "../../../entities/targets/target-picker.tsx";
import { formatDuration } from "../../../lib/format.ts";
import { Disclosure } from "../../../ui/disclosure.tsx";
import { Field, FieldGroup, Lockable } from "../../../ui/field.tsx";
import { TextField } from "../../../ui/form-field.tsx";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { FieldGrid, KindGroups } from "../kinds/fields.tsx";
import { type FormValues, impliedTimeout, sharedFormOf, sharedShape } from "./form-values.ts";

const ConfirmFields = lazy(() => import("./confirm-fields.tsx"));

type AdvancedFieldsProps = {
  type: CheckType;
  monitorId: number | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

export function AdvancedFields({ type, monitorId, open, onOpenChange }: AdvancedFieldsProps) {
  const { t } = useTranslation();
  return (
    <details
      open={open}
      onToggle={(event) => onOpenChange(event.currentTarget.open)}
      className="group rounded-lg border border-line bg-surface"
    >
      <summary className="flex min-h-12 list-none flex-wrap items-center gap-x-2 rounded-lg px-4 py-2 md:px-5 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
        <span className="text-[15px] font-semibold">{t("monitorForm.advanced")}</span>
        <span className="text-[13px] text-faint">
          {t(isPassive(type) ? "monitorForm.passiveHint" : "monitorForm.advancedHint")}
        </span>
      </summary>
      <div className="flex flex-col divide-y divide-line border-t border-line">
        <KindGroups type={type} />
        {!isPassive(type) && (
          <FieldGroup title={t("monitorForm.schedule")}>
            <FieldGrid
              path=""
              fields={sharedFormOf(type).filter(([name]) => name !== "description")}
              shape={sharedShape}
            >
              <TimeoutField />
            </FieldGrid>
            <Lockable name="confirm">
              <SecondOpinion />
            </Lockable>
          </FieldGroup>
        )}
        <FieldGroup title={t("monitorForm.about")}>
          <FieldGrid path="" fields={[["description", sharedForm.description]]} shape={sharedShape} />
        </FieldGroup>
        <FieldGroup title={t("monitorForm.alerting")}>
          <AlertingFields self={monitorId === undefined ? undefined : { type: "monitor", id: monitorId }} />
        </FieldGroup>
      </div>
    </details>
  );
}

function TimeoutField() {
  const { t, i18n } = useTranslation();
  const interval = useWatch<FormValues, "interval">({ name: "interval" });
  const timeout = formatDuration(impliedTimeout(interval) * 1000, i18n.language);
  const hint = t("monitorForm.timeoutHint", { timeout });
  return (
    <div className="min-w-0 sm:col-span-6">
      <TextField<FormValues> name="timeout" label={t("monitorForm.timeout")} hint={hint} />
    </div>
  );
}

/** Shown only if there is more than one location. */
export function Locations() {
  const { t } = useTranslation();
  const { register, resetField, formState, getValues } = useFormContext<FormValues>();
  const { data } = useLocationsQuery();
  const offered = (data?.locations ?? []).filter(({ runners }) => runners > 0);
  // Preselects the location that the server would choose for a new monitor.
  const propose = useEffectEvent(() => {
    const proposed = offered.find(({ name }) => name === "default") ?? (offered.length === 1 ? offered[0] : undefined);
    if (proposed !== undefined && getValues("locations").length === 0)
      resetField("locations", { defaultValue: [proposed.name] });
  });
  useEffect(() => propose(), [data]);
  // Saving must not silently remove a location that has no runners any more.
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

/** Loaded only when opened, because few monitors use it. */
function SecondOpinion() {
  const { t } = useTranslation();
  const { getValues, formState } = useFormContext<FormValues>();
  const [open, setOpen] = useState(() => getValues("confirm.locations").length > 0);
  const isOpen = open || formState.errors.confirm !== undefined;
  return (
    <Disclosure title={t("monitorForm.confirm")} open={isOpen} onOpenChange={setOpen}>
      <Suspense>
        <ConfirmFields />
      </Suspense>
    </Disclosure>
  );
}

function AlertingFields({ self }: { self: TargetRef | undefined }) {
  const { t } = useTranslation();
  const { field, fieldState } = useController<FormValues, "dependsOn">({ name: "dependsOn" });
  return (
    <>
      <Lockable name="dependsOn">
        <Field
          label={t("alerting.dependsOn")}
          hint={`${t("alerting.dependsOnHint")} ${t("alerting.hostHint")}`}
          error={fieldState.error?.message}
        >
          {(ids) => <TargetPicker {...ids} ref={field.ref} value={field.value} onChange={field.onChange} self={self} />}
        </Field>
      </Lockable>
      <TextField<FormValues> name="note" label={t("alerting.note")} hint={t("alerting.noteHint")} rows={3} />
    </>
  );
}
