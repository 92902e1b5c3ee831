import type { CheckType } from "@sonde/proto/http/kinds";
import type { MonitorInputDraft } from "@sonde/proto/http/monitors";
import { useEffect, useEffectEvent, useState } from "react";
import { type FieldErrors, type FieldPath, FormProvider, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../app/config.ts";
import { FormDraft } from "../../app/form-draft.tsx";
import { errorText, type Fallback, fieldErrorsOf } from "../../app/errors.ts";
import { currentLanguage } from "../../app/language.ts";
import { resolveFaults } from "../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../lib/translated-message.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card } from "../../ui/card.tsx";
import { UnsavedGuard } from "../../app/unsaved-guard.tsx";
import { AdvancedFields } from "./advanced-fields.tsx";
import { useTestMonitorMutation } from "./api.ts";
import { checkValues, type FormValues, hasAdvanced, isAdvanced, readInput } from "./form-values.ts";
import { FormActions } from "./form-actions.tsx";
import { IntervalField } from "./interval-field.tsx";
import { KindChoice } from "./kind-choice.tsx";
import { formOf } from "./kinds/registry.ts";
import { NameField } from "./name-field.tsx";
import { ResultPanel } from "./result-panel.tsx";
import { applyServerFaults } from "./server-faults.ts";
import { shareTyped } from "./switch-kind.ts";

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
  const [error, setError] = useTranslatedMessage();
  const [type, setType] = useState(initialType);
  const { Address, Fields, tidy } = formOf(type);
  const [isSwitched, setSwitched] = useState(false);
  const [open, setOpen] = useState(() => hasAdvanced(type, initial));
  const [test, tested] = useTestMonitorMutation();
  // Where to go once saved. It waits for the render that lifts the guard: a timer may come before it.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);

  const form = useForm<FormValues>({
    defaultValues: initial,
    resolver: resolveFaults(
      (values) => checkValues(type, values, { minIntervalMinutes: config?.minIntervalMinutes ?? 1, isNew }, t),
      currentLanguage,
    ),
  });
  const { isDirty, isSubmitting, isSubmitted } = form.formState;

  // Faults are words: in another language they are said anew.
  const sayAnew = useEffectEvent(() => {
    if (isSubmitted) void form.trigger();
  });
  useEffect(() => sayAnew(), [i18n.language]);

  /** A fault below 'advanced' must be seen. */
  function revealFaults(fields: readonly string[]) {
    if (fields.some((field) => isAdvanced(type, field))) setOpen(true);
  }
  function report(reason: unknown, line: Fallback) {
    const rest = applyServerFaults(form, type, fieldErrorsOf(reason));
    revealFaults(fieldErrorsOf(reason).map(({ path }) => path.split(".")[0] ?? ""));
    setError(() => [errorText(reason, line), ...rest].join(" · "));
  }
  const whenInvalid = (errors: FieldErrors<FormValues>) => {
    revealFaults([...Object.keys(errors), ...Object.keys(errors[type] ?? {})]);
    setError(() => i18n.t("monitorForm.fixErrors"));
  };

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    try {
      const go = await onSave(readInput(type, values));
      setLeave(() => go);
    } catch (reason) {
      report(reason, fallback);
    }
  }, whenInvalid);

  const runTest = form.handleSubmit(async (values) => {
    setError(null);
    try {
      await test({
        input: readInput(type, values),
        ...(secretsOf === undefined ? {} : { monitorId: secretsOf }),
      }).unwrap();
    } catch (reason) {
      report(reason, "checkFailed");
    }
  }, whenInvalid);

  function tidyUp() {
    for (const [name, value] of Object.entries(tidy?.(form.getValues(type) ?? {}) ?? {})) {
      form.setValue(`${type}.${name}` as FieldPath<FormValues>, value as never);
    }
  }
  function changeKind(next: CheckType) {
    shareTyped(form, type);
    // What was said is of the kind before.
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
          void submit(event);
        }}
      >
        <FormDraft
          name="monitor"
          form={form}
          unsaved={isDirty && leave === null}
          more={{ value: type, set: setType }}
        />
        {error !== null && <Alert kind="error">{error}</Alert>}
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
        <UnsavedGuard unsaved={isDirty && leave === null} />
      </form>
    </FormProvider>
  );
}
