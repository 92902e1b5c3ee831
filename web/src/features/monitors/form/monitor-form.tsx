import { type CheckType, isPassive, kindOf } from "@sonde/proto/http/monitors/kinds";
import type { MonitorInputDraft } from "@sonde/proto/http/monitors/monitors";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type FieldPath, FormProvider, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { errorText, type Fallback } from "../../../app/errors.ts";
import { type AfterSave, FormMessages, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { proposedName } from "../../../entities/kinds/kinds.ts";
import { formatDuration } from "../../../lib/format.ts";
import { parseDuration } from "../../../lib/typed.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { cx } from "../../../ui/cx.ts";
import { Lockable } from "../../../ui/field.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { useTestMonitorMutation } from "../api.ts";
import { hasFields, KindFields } from "../kinds/fields.tsx";
import { type CheckValues, tidyCheck } from "../kinds/values.ts";
import { ResultPanel } from "../result-panel.tsx";
import { AddressField, readAddress, shareAddress } from "./address-field.tsx";
import { AdvancedFields, Locations } from "./advanced-fields.tsx";
import {
  checkValues,
  fieldOf,
  type FormValues,
  hasAdvanced,
  isAdvanced,
  readInput,
  writeMinutes,
} from "./form-values.ts";
import { FixedKind, KindField } from "./kind-field.tsx";
import { NotifyCard, useSaveNotify } from "./notify-card.tsx";
import { TagField } from "./tag-field.tsx";

type MonitorFormProps = {
  initial: FormValues;
  /** Initial kind of check. It can be changed only for a new monitor. */
  initialType: CheckType;
  monitorId?: number;
  /** Id of the monitor to clone. Masked values of a test refer to its secrets or to those of the edited monitor. */
  cloneOf?: number;
  fallback: Fallback;
  labels: { submit: string; saving: string };
  /**
   * Saves the monitor. Returns its id, for the notification settings, and a function that leaves the page. @throws the
   * error of the request.
   */
  onSave: (input: MonitorInputDraft) => Promise<{ id: number; leave: () => void }>;
  onCancel: () => void;
};

export function MonitorForm(props: MonitorFormProps) {
  const { initial, initialType, monitorId, cloneOf, fallback, labels, onSave, onCancel } = props;
  const isNew = monitorId === undefined;
  const secretsOf = monitorId ?? cloneOf;
  const { t, i18n } = useTranslation();
  const { data: config } = useConfigQuery();
  const [type, setType] = useState(initialType);
  /** The kind follows the address until the user chooses one, or goes on to another field. */
  const [isGuessing, setGuessing] = useState(isNew && cloneOf === undefined);
  const [open, setOpen] = useState(() => hasAdvanced(type, initial));
  const [test, tested] = useTestMonitorMutation();
  const isTest = useRef(false);
  const saveNotify = useSaveNotify(secretsOf);

  /** Opens the advanced section if it contains an error. */
  function revealErrors(fields: readonly string[]) {
    if (fields.some((field) => isAdvanced(type, field))) setOpen(true);
  }
  const saveForm = useSaveForm<FormValues>({
    initial,
    check: (values) => {
      const errors = checkValues(type, values, { minIntervalMinutes: config?.minIntervalMinutes ?? 1, isNew }, t);
      // A test needs no name.
      return isTest.current ? errors.filter(({ path }) => path !== "name") : errors;
    },
    fieldOf: (path, values) => fieldOf(type, values, path),
    fallback,
    onSave: async (values): Promise<AfterSave> => {
      const { id, leave } = await onSave(readInput(type, values));
      const failure = await saveNotify(id, values.notify);
      if (failure === null) return leave;
      // The values stay, and the next Save retries both requests.
      return saveForm.setError(() =>
        i18n.t("monitorForm.notifyNotSaved", { reason: errorText(failure, "saveSettings") }),
      );
    },
    onErrors: (paths) => revealErrors(paths.map((path) => path.split(".")[0] ?? "")),
    invalidText: () => i18n.t("monitorForm.fixErrors"),
    onInvalid: (errors) => revealErrors([...Object.keys(errors), ...Object.keys(errors[type] ?? {})]),
  });
  const { form, setError, unsaved } = saveForm;
  const { isSubmitting } = form.formState;
  const sendTest = saveForm.sendWith(async (values) => {
    const input = readInput(type, { ...values, name: values.name.trim() || t("monitorForm.test") });
    await test({ input, ...(secretsOf === undefined ? {} : { monitorId: secretsOf }) }).unwrap();
  }, "checkFailed");

  async function runTest(event: Parameters<typeof sendTest>[0]) {
    isTest.current = true;
    await sendTest(event);
    isTest.current = false;
  }

  // Scrolls to the result, since the Test button is visible from everywhere in the form.
  const resultPlace = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tested.data !== undefined) resultPlace.current?.scrollIntoView?.({ block: "nearest" });
  }, [tested.data]);

  function tidyUp() {
    for (const [name, value] of Object.entries(tidyCheck(type, form.getValues(type) ?? {}))) {
      form.setValue(`${type}.${name}` as FieldPath<FormValues>, value as never);
    }
    settle();
  }
  function changeKind(next: CheckType) {
    const usual = (of: CheckType) => writeMinutes(kindOf(of).interval.usual);
    if (form.getValues("interval") === usual(type)) form.setValue("interval", usual(next));
    // The error belongs to the previous kind.
    setError(null);
    tested.reset();
    setType(next);
  }
  function chooseKind(next: CheckType) {
    shareAddress(form, type);
    setGuessing(false);
    changeKind(next);
  }
  function typeAddress(address: string) {
    const guessed = readAddress(form, type, address);
    if (guessed !== type) changeKind(guessed);
  }
  /** Shows the fields that the address has filled in, and those that it lacks. */
  function settle() {
    if (!isGuessing) return;
    const { url } = form.getValues(type) ?? {};
    if (typeof url === "string") return form.setValue("address", url);
    setGuessing(false);
    if (hasAdvanced(type, form.getValues())) setOpen(true);
  }
  function restoreKind(stored: CheckType) {
    setGuessing(false);
    setType(stored);
  }
  const hasAddress = isGuessing || hasFields(type, "address");
  const testing = tested.isLoading;
  const saving = isSubmitting && !testing;

  return (
    <FormProvider {...form}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onFocusCapture={({ target }) => {
          if (target.matches("input:not([type=checkbox], [type=radio], [name=address]), select, textarea")) settle();
        }}
        onSubmit={(event) => {
          tidyUp();
          saveForm.submit(event);
        }}
      >
        <FormMessages of={saveForm} draft="monitor" more={{ value: type, set: restoreKind }} />
        <Card title={t("monitorForm.basics")}>
          <div className="flex flex-col gap-4">
            {/* The kind keeps its place when it changes, because all addresses have the same width. */}
            <div className="grid gap-4 sm:grid-cols-12">
              {hasAddress && (
                <div className="min-w-0 sm:col-span-8">
                  {isGuessing ? (
                    <AddressField type={type} onType={typeAddress} />
                  ) : (
                    <KindFields type={type} place="address" />
                  )}
                </div>
              )}
              <div className={cx("min-w-0", hasAddress ? "sm:col-span-4" : "sm:col-span-12")}>
                {isNew ? (
                  <KindField type={type} onChange={chooseKind} disabled={isSubmitting} />
                ) : (
                  <FixedKind type={type} />
                )}
              </div>
            </div>
            {!isGuessing && <KindFields type={type} place="basic" />}
            <NameField type={type} proposes={secretsOf === undefined} />
            <Lockable name="tags">
              <TagField />
            </Lockable>
            {!isPassive(type) && (
              <>
                <IntervalField type={type} />
                <Lockable name="locations">
                  <Locations />
                </Lockable>
              </>
            )}
          </div>
        </Card>
        <NotifyCard monitorId={monitorId} cloneOf={cloneOf} />
        <AdvancedFields type={type} monitorId={monitorId} open={open} onOpenChange={setOpen} />
        <div ref={resultPlace} className="scroll-mb-24">
          {tested.data !== undefined && !testing && <ResultPanel result={tested.data.result} />}
        </div>
        {/* Only one action at a time. The bar is always visible. */}
        <div className="sticky bottom-0 z-10 -mx-4 flex items-center justify-end gap-2 border-t border-line bg-ground px-4 py-3 md:-mx-6 md:px-6">
          {!isPassive(type) && (
            <p className="mr-auto text-[13px] text-faint max-md:hidden">{t("monitorForm.testNote")}</p>
          )}
          <Button onClick={onCancel} variant="ghost" className="max-md:mr-auto max-sm:-ml-2">
            {t("common.cancel")}
          </Button>
          {!isPassive(type) && (
            <Button
              saving={testing}
              savingLabel={t("monitorForm.testing")}
              disabled={saving}
              onClick={(event) => {
                tidyUp();
                void runTest(event);
              }}
            >
              {t("monitorForm.test")}
            </Button>
          )}
          <Button type="submit" variant="primary" saving={saving} savingLabel={labels.saving} disabled={testing}>
            {labels.submit}
          </Button>
        </div>
        <UnsavedGuard unsaved={unsaved} />
      </form>
    </FormProvider>
  );
}

const maxNameLength = 100;

/** `proposes`: the name follows the address until the user types one. */
function NameField({ type, proposes }: { type: CheckType; proposes: boolean }) {
  const { t } = useTranslation();
  const { getValues, setValue, formState } = useFormContext<FormValues>();
  const { isSubmitted } = formState;
  const address = useWatch<FormValues>({ name: type }) as CheckValues | undefined;
  const proposal = !proposes || address === undefined ? "" : proposedName(type, address).slice(0, maxNameLength);
  const proposed = useRef("");
  const propose = useEffectEvent(() => {
    const name = getValues("name");
    if (!proposes || (name !== "" && name !== proposed.current)) return;
    proposed.current = proposal;
    if (name !== proposal) setValue("name", proposal, { shouldValidate: isSubmitted });
  });
  useEffect(() => propose(), [proposal]);
  return (
    <TextField<FormValues>
      name="name"
      label={t("monitorForm.name")}
      hint={proposes && !isPassive(type) ? t("monitorForm.nameHint") : undefined}
      required
      placeholder={t("monitorForm.namePlaceholder")}
    />
  );
}

const presetSeconds = [10, 30, 60, 300, 900, 1800, 3600];
const rareKindSeconds = [21_600, 43_200, 86_400];

function IntervalField({ type }: { type: CheckType }) {
  const { t, i18n } = useTranslation();
  const { data: config } = useConfigQuery();
  const { setValue, formState } = useFormContext<FormValues>();
  const { isSubmitted } = formState;
  const interval = useWatch<FormValues, "interval">({ name: "interval" });
  const { min = 0, usual } = kindOf(type).interval;
  const shortest = Math.max(config?.minIntervalMinutes ?? 1, min) * 60;
  const chosen = interval.trim() === "" ? usual * 60 : parseDuration(interval, "m");
  return (
    <FormField<FormValues> name="interval" label={t("monitorForm.interval")} hint={t("monitorForm.intervalHint")}>
      {(props) => (
        <div className="flex flex-wrap items-center gap-2">
          <Input {...props} className="max-w-28" />
          <div role="group" aria-label={t("monitorForm.intervalPresets")} className="flex flex-wrap gap-1.5">
            {(min > 0 ? rareKindSeconds : presetSeconds)
              .filter((seconds) => seconds >= shortest)
              .map((seconds) => (
                <Button
                  key={seconds}
                  size="sm"
                  aria-pressed={seconds === chosen}
                  onClick={() =>
                    setValue("interval", writeMinutes(seconds / 60), { shouldDirty: true, shouldValidate: isSubmitted })
                  }
                  className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
                >
                  {formatDuration(seconds * 1000, i18n.language)}
                </Button>
              ))}
          </div>
        </div>
      )}
    </FormField>
  );
}
