import { type CheckType, checkTypes } from "@sonde/proto/http/monitors/kinds";
import type { MonitorInputDraft } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { type FieldPath, FormProvider, type UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import type { Fallback } from "../../../app/errors.ts";
import { FormMessages, useSaveForm } from "../../../app/save-form.tsx";
import { UnsavedGuard } from "../../../app/unsaved-guard.tsx";
import { AdvancedFields } from "./advanced-fields.tsx";
import { useTestMonitorMutation } from "../api.ts";
import { FormActions } from "./form-actions.tsx";
import { checkValues, fieldOf, type FormValues, hasAdvanced, isAdvanced, readInput } from "./form-values.ts";
import { IntervalField } from "./interval-field.tsx";
import { KindChoice } from "./kind-choice.tsx";
import { formOf } from "../kinds/registry.ts";
import { NameField } from "./name-field.tsx";
import { ResultPanel } from "../result-panel.tsx";
import { Card } from "../../../ui/card.tsx";

type MonitorFormProps = {
  initial: FormValues;
  /** The kind of check that the form begins with; that of a stored monitor stays. */
  initialType: CheckType;
  /** The stored monitor that is edited. */
  monitorId?: number;
  /** The stored monitor that is cloned. Masked values in a test stand for its own, or for those of the edited one. */
  cloneOf?: number;
  fallback: Fallback;
  labels: { submit: string; saving: string };
  /** Saves; answers where to go then. Rejects with the call's error. */
  onSave: (input: MonitorInputDraft) => Promise<() => void>;
  onCancel: () => void;
};

/** The kind, its fields, and everything with a good default under 'advanced'. Nothing that was typed is lost by a failure. */
export function MonitorForm(props: MonitorFormProps) {
  const { initial, initialType, monitorId, cloneOf, fallback, labels, onSave, onCancel } = props;
  const isNew = monitorId === undefined;
  const secretsOf = monitorId ?? cloneOf;
  const { t, i18n } = useTranslation();
  const { data: config } = useConfigQuery();
  const [type, setType] = useState(initialType);
  const { Address, Fields, tidy } = formOf(type);
  const [isSwitched, setSwitched] = useState(false);
  const [open, setOpen] = useState(() => hasAdvanced(type, initial));
  const [test, tested] = useTestMonitorMutation();

  /** A fault below 'advanced' must be seen. */
  function revealFaults(fields: readonly string[]) {
    if (fields.some((field) => isAdvanced(type, field))) setOpen(true);
  }
  const saveForm = useSaveForm<FormValues>({
    initial,
    check: (values) => checkValues(type, values, { minIntervalMinutes: config?.minIntervalMinutes ?? 1, isNew }, t),
    fieldOf: (path, values) => fieldOf(type, values, path),
    focusFaults: false,
    fallback,
    onSave: (values) => onSave(readInput(type, values)),
    onFaults: (paths) => revealFaults(paths.map((path) => path.split(".")[0] ?? "")),
    invalidText: () => i18n.t("monitorForm.fixErrors"),
    onInvalid: (errors) => revealFaults([...Object.keys(errors), ...Object.keys(errors[type] ?? {})]),
  });
  const { form, setError, unsaved } = saveForm;
  const { isSubmitting } = form.formState;
  const runTest = saveForm.sendWith(async (values) => {
    const input = readInput(type, values);
    await test({ input, ...(secretsOf === undefined ? {} : { monitorId: secretsOf }) }).unwrap();
  }, "checkFailed");

  function tidyUp() {
    for (const [name, value] of Object.entries(tidy?.(form.getValues(type) ?? {}) ?? {})) {
      form.setValue(`${type}.${name}` as FieldPath<FormValues>, value as never);
    }
  }
  function changeKind(next: CheckType) {
    shareTyped(form, type);
    // The error is one of the kind before.
    setError(null);
    tested.reset();
    setSwitched(true);
    setType(next);
  }
  const testing = tested.isLoading;

  return (
    <FormProvider {...form}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          tidyUp();
          saveForm.submit(event);
        }}
      >
        <FormMessages of={saveForm} draft="monitor" more={{ value: type, set: setType }} />
        <Card title={t("monitorForm.basics")}>
          <div className="flex flex-col gap-4">
            <KindChoice type={type} onChange={isNew ? changeKind : undefined} disabled={isSubmitting} />
            <Address autoFocus={isNew && !isSwitched} />
            <NameField type={type} proposes={secretsOf === undefined} />
            {Fields !== undefined && <Fields />}
            <IntervalField />
          </div>
        </Card>
        <AdvancedFields type={type} monitorId={monitorId} open={open} onOpenChange={setOpen} />
        {tested.data !== undefined && !testing && <ResultPanel result={tested.data.result} />}
        <FormActions
          labels={labels}
          testing={testing}
          saving={isSubmitting && !testing}
          onTest={() => {
            tidyUp();
            void runTest();
          }}
          onCancel={onCancel}
        />
        <UnsavedGuard unsaved={unsaved} />
      </form>
    </FormProvider>
  );
}

/** Fields that mean the same in every kind that has them. */
const sameEverywhere = ["host", "port"];

/** Gives the other kinds what was typed for this one and is theirs as well. */
export function shareTyped(form: UseFormReturn<FormValues>, type: CheckType) {
  for (const name of sameEverywhere) {
    const typed = form.getValues(type)?.[name];
    if (typed === undefined || typed === formOf(type).empty[name]) continue;
    for (const other of checkTypes) {
      if (name in formOf(other).empty) {
        form.setValue(`${other}.${name}` as FieldPath<FormValues>, typed as never, { shouldDirty: true });
      }
    }
  }
}
