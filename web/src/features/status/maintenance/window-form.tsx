import { useEffect, useState } from "react";
import { FormProvider, useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Fallback } from "../../../app/errors.ts";
import { FormDraft } from "../../../app/form-draft.tsx";
import { useSession } from "../../../app/hooks.ts";
import { TargetPicker } from "../../../app/targets/target-picker.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Switch } from "../../../ui/inputs.tsx";
import { UnsavedGuard } from "../../../app/unsaved-guard.tsx";
import { MarkdownField } from "../announcements/markdown-field.tsx";
import { useSaving } from "../announcements/use-saving.ts";
import type { Maintenance } from "./api.ts";
import { atField, checkValues, fields, type MaintenanceValues } from "./form-values.ts";
import { RecurrenceFields } from "./recurrence-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { maintenancePath } from "./addresses.ts";

const mostTargets = 500;

type WindowFormProps = {
  title: string;
  initial: MaintenanceValues;
  /** The window that is changed; null: it is planned. */
  window: Maintenance | null;
  labels: { submit: string; saving: string; saved: string };
  fallback: Fallback;
  /** Saves; answers the server's words. Rejects with the call's error. */
  onSave: (values: MaintenanceValues) => Promise<string | undefined>;
};

/** All that a window says; for those who may only read, as it is. */
export function WindowForm({ title, initial, window, labels, fallback, onSave }: WindowFormProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  // Where to go once saved. It waits for the render that lifts the guard.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);
  const { form, error, isDirty, isSubmitting, submit } = useSaving<MaintenanceValues>({
    initial,
    check: checkValues,
    fields,
    fallback,
    place: atField,
    onSave: async (values) => {
      const notice = (await onSave(values)) ?? labels.saved;
      setLeave(() => () => void navigate(maintenancePath, { state: { notice }, replace: true }));
    },
  });
  const targets = useController({ control: form.control, name: "targets" });
  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={submit}>
        <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
          <FormDraft name="maintenance" form={form} unsaved={isDirty && leave === null} />
          {error !== null && <Alert kind="error">{error}</Alert>}
          {mayChange && window?.status === "running" && <Alert kind="info">{t("maintenance.runsHint")}</Alert>}
          <Card title={title}>
            <div className="flex flex-col gap-4">
              <FormField<MaintenanceValues>
                name="name"
                label={t("maintenance.name")}
                hint={t("maintenance.nameHint")}
                required
              >
                {(props) => <Input {...props} aria-required />}
              </FormField>
              <Field
                label={t("maintenance.covers")}
                hint={t("maintenance.coversHint")}
                error={targets.fieldState.error?.message}
                required
              >
                {(ids) => (
                  <TargetPicker
                    {...ids}
                    ref={targets.field.ref}
                    value={targets.field.value}
                    onChange={targets.field.onChange}
                    max={mostTargets}
                    disabled={!mayChange}
                  />
                )}
              </Field>
              <MarkdownField<MaintenanceValues>
                name="note"
                label={t("maintenance.note")}
                hint={t("maintenance.noteHint")}
                rows={4}
              />
              <Switch label={t("maintenance.public")} hint={t("maintenance.publicHint")} {...form.register("public")} />
            </div>
          </Card>
          <Card title={t("maintenance.when")}>
            <div className="flex flex-col gap-4">
              <ScheduleFields offersNow={window?.status !== "running"} />
              <RecurrenceFields />
            </div>
          </Card>
          {mayChange && (
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={() => void navigate(maintenancePath)}>
                {t("common.cancel")}
              </Button>
              <Button
                type="submit"
                variant="primary"
                saving={isSubmitting || leave !== null}
                savingLabel={labels.saving}
              >
                {labels.submit}
              </Button>
            </div>
          )}
        </fieldset>
        <UnsavedGuard unsaved={isDirty && leave === null} />
      </form>
    </FormProvider>
  );
}
