import { templateKinds } from "@sonde/proto/http/incidents/alerts";
import type { TemplateVariable } from "@sonde/proto/http/notifications/templates";
import { useRef } from "react";
import { flushSync } from "react-dom";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { FormMessages, oneOfFields, useSaveForm } from "../../../app/save-form.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Select } from "../../../ui/inputs.tsx";
import { UnsavedGuard } from "../../../app/unsaved-guard.tsx";
import { BuiltInButton } from "./built-in-button.tsx";
import { insertVariable } from "./completion.ts";
import { checkValues, type TemplateFormValues } from "./form-values.ts";
import { Preview } from "./preview.tsx";
import { VariableButtons } from "./variable-buttons.tsx";
import { placeCursor, type TextField, VariableField } from "./variable-field.tsx";

type TemplateFormProps = {
  initial: TemplateFormValues;
  labels: { submit: string; saving: string };
  /** Saves; answers where to go then. Rejects with the call's error. */
  onSave: (input: TemplateFormValues) => Promise<() => void>;
  onCancel: () => void;
};

/** Name, kind, subject and content of a template, and what becomes of it while it is written. */
export function TemplateForm({ initial, labels, onSave, onCancel }: TemplateFormProps) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const saveForm = useSaveForm<TemplateFormValues>({
    initial,
    check: checkValues,
    fieldOf: oneOfFields("name", "kind", "subject", "content"),
    fallback: "saveTemplate",
    onSave,
    invalidText: () => i18n.t("templates.fixErrors"),
  });
  const { form, isSaving, setError, unsaved } = saveForm;
  const { isSubmitted } = form.formState;

  const lastUsed = useRef<TextField | null>(null);
  function insert(name: TemplateVariable) {
    const element = lastUsed.current;
    const part = element?.name === "subject" ? "subject" : "content";
    const text = form.getValues(part);
    const from = element?.selectionStart ?? text.length;
    const next = insertVariable(text, name, { from, to: element?.selectionEnd ?? from });
    flushSync(() => form.setValue(part, next.text, { shouldDirty: true, shouldValidate: isSubmitted }));
    placeCursor(element, next.cursor);
  }

  return (
    <FormProvider {...form}>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <form noValidate onSubmit={saveForm.submit}>
          <Card>
            <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
              <FormMessages of={saveForm} draft="template" />
              <div className="grid gap-4 sm:grid-cols-2">
                <FormField<TemplateFormValues> name="name" label={t("templates.name")} required>
                  {(props) => <Input {...props} aria-required />}
                </FormField>
                <FormField<TemplateFormValues> name="kind" label={t("templates.kind")}>
                  {(props) => (
                    <Select {...props} className="w-full">
                      {templateKinds.map((kind) => (
                        <option key={kind} value={kind}>
                          {t(`notifications.kinds.${kind}`)}
                        </option>
                      ))}
                    </Select>
                  )}
                </FormField>
              </div>
              {mayChange && (
                <div>
                  <BuiltInButton onError={(text) => setError(() => text)} />
                </div>
              )}
              <VariableField
                name="subject"
                label={t("templates.subject")}
                onFocus={(field) => (lastUsed.current = field)}
              />
              <VariableField
                name="content"
                label={t("templates.content")}
                hint={t("templates.contentHint")}
                rows={10}
                onFocus={(field) => (lastUsed.current = field)}
              />
              {mayChange && (
                <>
                  <VariableButtons onInsert={insert} />
                  <div className="flex flex-wrap justify-end gap-2">
                    <Button variant="ghost" onClick={onCancel} className="max-sm:mr-auto max-sm:-ml-2">
                      {t("common.cancel")}
                    </Button>
                    <Button type="submit" variant="primary" saving={isSaving} savingLabel={labels.saving}>
                      {labels.submit}
                    </Button>
                  </div>
                </>
              )}
            </fieldset>
          </Card>
          <UnsavedGuard unsaved={unsaved} />
        </form>
        {/* A preview is a POST, which those who may only read may not send. */}
        {mayChange && <Preview />}
      </div>
    </FormProvider>
  );
}
