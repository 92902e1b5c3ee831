import { type Language, translate } from "@sonde/proto/http/messages";
import { templateKinds } from "@sonde/proto/http/incidents/alerts";
import {
  type TemplateInput,
  templateInput,
  templatePreviewInput,
  templateVariables,
  type TemplateVariable,
  unknownVariables,
} from "@sonde/proto/http/notifications/templates";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { FormProvider, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { currentLanguage, languageNames, languages } from "../../../app/i18n.ts";
import { paths } from "../../../app/paths.ts";
import { FormMessages, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Lockable, useLock } from "../../../ui/field.tsx";
import { useLazyTemplatePreviewQuery, useTemplatePreviewQuery } from "../api.ts";
import { insertVariable, placeCursor, type TextField, VariableField } from "./variable-field.tsx";

type TemplateFormProps = {
  initial: TemplateInput;
  labels: { submit: string; saving: string };
  /** Saves the template. Returns a function that leaves the page. @throws the error of the request. */
  onSave: (input: TemplateInput) => Promise<() => void>;
};

export function TemplateForm({ initial, labels, onSave }: TemplateFormProps) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const saveForm = useSaveForm<TemplateInput>({
    initial,
    check: (values) => schemaErrors(templateInput, values),
    fallback: "saveTemplate",
    onSave,
    invalidText: () => i18n.t("templates.fixErrors"),
  });
  const { form, isSaving, setError, unsaved } = saveForm;
  const { isSubmitted } = form.formState;
  const isContentLocked = useLock("content") !== undefined;
  const isTextLocked = useLock("subject") !== undefined || isContentLocked;

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
                <FormField<TemplateInput> name="name" label={t("templates.name")} required />
                <FormField<TemplateInput>
                  name="kind"
                  label={t("templates.kind")}
                  options={templateKinds.map((value) => ({ value, label: t(`notifications.kinds.${value}`) }))}
                />
              </div>
              {mayChange && !isTextLocked && (
                <div>
                  <BuiltInButton onError={(text) => setError(() => text)} />
                </div>
              )}
              <Lockable name="subject">
                <VariableField
                  name="subject"
                  label={t("templates.fields.subject")}
                  onFocus={(field) => (lastUsed.current = field)}
                />
              </Lockable>
              <Lockable name="content">
                <VariableField
                  name="content"
                  label={t("templates.fields.content")}
                  hint={t("templates.contentHint")}
                  rows={10}
                  onFocus={(field) => (lastUsed.current = field)}
                />
              </Lockable>
              {mayChange && (
                <>
                  {!isContentLocked && <VariableButtons onInsert={insert} />}
                  <div className="flex flex-wrap justify-end gap-2">
                    <Button
                      variant="ghost"
                      onClick={() => void navigate(paths.notificationTemplates)}
                      className="max-sm:mr-auto max-sm:-ml-2"
                    >
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
        {/* Viewers may not send the POST of the preview. */}
        {mayChange && <Preview />}
      </div>
    </FormProvider>
  );
}

function BuiltInButton({ onError }: { onError: (text: string) => void }) {
  const { t } = useTranslation();
  const form = useFormContext<TemplateInput>();
  const [ask, { isFetching }] = useLazyTemplatePreviewQuery();
  const [confirming, setConfirming] = useState(false);

  async function fill() {
    const { data, error } = await ask({ kind: form.getValues("kind"), language: currentLanguage() });
    if (data?.builtIn === undefined) throw new Error(errorText(error, "previewTemplate"));
    for (const part of ["subject", "content"] as const) {
      form.setValue(part, data.builtIn[part], { shouldDirty: true, shouldValidate: form.formState.isSubmitted });
    }
  }
  function start() {
    const { subject, content } = form.getValues();
    if (subject.trim() !== "" || content.trim() !== "") return setConfirming(true);
    void fill().catch((reason: unknown) => onError(reason instanceof Error ? reason.message : t("errors.unknown")));
  }
  return (
    <>
      <Button size="sm" saving={isFetching} savingLabel={t("templates.builtInLoading")} onClick={start}>
        {t("templates.builtIn")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title={t("templates.builtInTitle")}
        description={t("templates.builtInText")}
        confirmLabel={t("templates.builtInConfirm")}
        savingLabel={t("templates.builtInLoading")}
        onConfirm={fill}
      />
    </>
  );
}

function VariableButtons({ onInsert }: { onInsert: (name: TemplateVariable) => void }) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t("templates.variables")} className="flex flex-col gap-2">
      <p className="text-[13px] text-faint">{t("templates.variablesHint")}</p>
      <ul className="flex flex-wrap gap-1.5">
        {templateVariables.map((name) => (
          <li key={name}>
            <button
              type="button"
              title={t(`templates.variable.${name}`)}
              aria-label={t("templates.insert", { name })}
              onClick={() => onInsert(name)}
              className="min-h-7 rounded-sm border border-line bg-sunken px-2 font-mono text-[12px] hover:border-line-strong hover:bg-surface"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const waitMs = 400;

function Preview() {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<Language>(currentLanguage);
  const typed = useWatch<TemplateInput>() as TemplateInput;
  const { kind, subject, content } = useSettled(typed, waitMs);
  const input = { kind, subject, content, language };
  const isReady = templatePreviewInput.safeParse(input).success;
  const { data, error } = useTemplatePreviewQuery(input, { skip: !isReady });
  const [unknown] = unknownVariables(`${typed.subject}\n${typed.content}`);
  const preview = isReady ? data?.preview : undefined;
  return (
    <Card
      title={t("templates.preview")}
      actions={
        <Segmented
          label={t("notificationSettings.language")}
          value={language}
          onChange={setLanguage}
          options={languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))}
        />
      }
      className="lg:sticky lg:top-20"
    >
      <div aria-live="polite" className="flex min-h-40 flex-col gap-3">
        {unknown !== undefined ? (
          <Alert kind="error">
            {translate("There is no variable named {name}", currentLanguage(), { name: unknown.slice(0, 50) })}
          </Alert>
        ) : error !== undefined ? (
          <Alert kind="error">{errorText(error, "previewTemplate")}</Alert>
        ) : preview === undefined ? (
          <p className="text-muted">{t("templates.previewEmpty")}</p>
        ) : (
          <div lang={language} className="flex flex-col gap-2">
            <p className="font-semibold break-words">{preview.subject}</p>
            <p className="break-words whitespace-pre-wrap">{preview.content}</p>
          </div>
        )}
      </div>
      <p className="mt-3 text-[13px] text-faint">{t("templates.previewHint")}</p>
    </Card>
  );
}
