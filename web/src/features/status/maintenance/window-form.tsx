import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import { FormProvider, useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Fallback } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { maintenancePath } from "../../../app/paths.ts";
import { FormButtons, FormMessages, oneOfFields, useSaveForm } from "../../../app/save-form.tsx";
import { TargetPicker } from "../../../app/targets/target-picker.tsx";
import { UnsavedGuard } from "../../../app/unsaved-guard.tsx";
import { MarkdownField } from "../announcements/markdown-field.tsx";
import { checkValues, fieldOf, fields, type MaintenanceValues } from "./form-values.ts";
import { RecurrenceFields } from "./recurrence-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Switch } from "../../../ui/inputs.tsx";

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

/** All fields of a window; for those who may only read, as it is. */
export function WindowForm({ title, initial, window, labels, fallback, onSave }: WindowFormProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const saveForm = useSaveForm<MaintenanceValues>({
    initial,
    check: checkValues,
    fieldOf: (path) => oneOfFields(...fields)(fieldOf(path)),
    fallback,
    onSave: async (values) => {
      const notice = (await onSave(values)) ?? labels.saved;
      return () => void navigate(maintenancePath, { state: { notice }, replace: true });
    },
  });
  const { form } = saveForm;
  const targets = useController({ control: form.control, name: "targets" });
  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={saveForm.submit}>
        <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
          <FormMessages of={saveForm} draft="maintenance" />
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
            <FormButtons labels={labels} isSaving={saveForm.isSaving} onCancel={() => void navigate(maintenancePath)} />
          )}
        </fieldset>
        <UnsavedGuard unsaved={saveForm.unsaved} />
      </form>
    </FormProvider>
  );
}
