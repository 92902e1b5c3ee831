import type { MonitorInputDraft } from "@sonde/proto/http/monitors";
import { useEffect, useEffectEvent, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../app/config.ts";
import { errorText, type Fallback, fieldErrorsOf } from "../../app/errors.ts";
import { currentLanguage } from "../../app/language.ts";
import { resolveFaults } from "../../lib/form-faults.ts";
import { useSaid } from "../../lib/said.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { AdvancedFields, advancedFields } from "./advanced-fields.tsx";
import { useTestMonitorMutation } from "./api.ts";
import { BasicFields } from "./basic-fields.tsx";
import { applyServerFaults } from "./server-faults.ts";
import { checkValues, dropEmptyRows, emptyValues, type FormValues, readInput } from "./form-values.ts";
import { ResultPanel } from "./result-panel.tsx";

type MonitorFormProps = {
  initial: FormValues;
  /** The stored monitor that is edited; its masked values then stand for the stored ones in a test. */
  monitorId?: number;
  fallback: Fallback;
  labels: { submit: string; saving: string };
  /** Saves; answers where to go then. Rejects with the call's error. */
  onSave: (input: MonitorInputDraft) => Promise<() => void>;
  onCancel: () => void;
};

/** Name and URL, everything else under 'advanced'. Nothing that was typed is lost by a failure. */
export function MonitorForm({ initial, monitorId, fallback, labels, onSave, onCancel }: MonitorFormProps) {
  const { t, i18n } = useTranslation();
  const { data: config } = useConfigQuery();
  const [error, setError] = useSaid();
  const [open, setOpen] = useState(() => monitorId !== undefined && isAdvanced(initial));
  const [test, tested] = useTestMonitorMutation();
  // Where to go once saved. It waits for the render that lifts the guard: a timer may come before it.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);

  const form = useForm<FormValues>({
    defaultValues: initial,
    resolver: resolveFaults(
      (values) =>
        checkValues(values, { minIntervalMinutes: config?.minIntervalMinutes ?? 1, isNew: monitorId === undefined }, t),
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
  function revealFaults(paths: readonly string[]) {
    if (paths.some((path) => advancedFields.has(path.split(".")[0] ?? ""))) setOpen(true);
  }
  function report(reason: unknown, line: Fallback) {
    const rest = applyServerFaults(form, fieldErrorsOf(reason));
    revealFaults(fieldErrorsOf(reason).map(({ path }) => path));
    setError(() => [errorText(reason, line), ...rest].join(" · "));
  }
  const whenInvalid = (errors: object) => {
    revealFaults(Object.keys(errors));
    setError(() => i18n.t("monitorForm.fixErrors"));
  };

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    try {
      const go = await onSave(readInput(values));
      setLeave(() => go);
    } catch (reason) {
      report(reason, fallback);
    }
  }, whenInvalid);

  const runTest = form.handleSubmit(async (values) => {
    setError(null);
    try {
      await test({ input: readInput(values), ...(monitorId === undefined ? {} : { monitorId }) }).unwrap();
    } catch (reason) {
      report(reason, "checkFailed");
    }
  }, whenInvalid);

  function tidy() {
    form.setValue("headers", dropEmptyRows(form.getValues()).headers);
  }
  const testing = tested.isLoading;

  return (
    <FormProvider {...form}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          tidy();
          void submit(event);
        }}
      >
        {error !== null && <Alert kind="error">{error}</Alert>}
        <Card title={t("monitorForm.basics")}>
          <BasicFields isNew={monitorId === undefined} />
        </Card>
        <AdvancedFields open={open} onOpenChange={setOpen} />
        {tested.data !== undefined && !testing && <ResultPanel result={tested.data.result} />}
        <div className="flex flex-wrap items-center justify-end gap-2">
          <p className="mr-auto text-[13px] text-faint">{t("monitorForm.testNote")}</p>
          <Button onClick={onCancel} variant="ghost">
            {t("common.cancel")}
          </Button>
          <Button
            saving={testing}
            savingLabel={t("monitorForm.testing")}
            disabled={isSubmitting}
            onClick={() => {
              tidy();
              void runTest();
            }}
          >
            {t("monitorForm.test")}
          </Button>
          <Button
            type="submit"
            variant="primary"
            saving={isSubmitting && !testing}
            savingLabel={labels.saving}
            disabled={testing}
          >
            {labels.submit}
          </Button>
        </div>
        <UnsavedGuard unsaved={isDirty && leave === null} />
      </form>
    </FormProvider>
  );
}

/** Whether anything below 'advanced' differs from what a new monitor has. */
function isAdvanced(values: FormValues): boolean {
  return [...advancedFields].some((name) => {
    const field = name as keyof FormValues;
    if (field === "locations") return values.locations.length > 1;
    return field !== "timeout" && JSON.stringify(values[field]) !== JSON.stringify(emptyValues[field]);
  });
}
