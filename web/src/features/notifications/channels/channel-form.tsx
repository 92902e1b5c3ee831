import type { ChannelTypeName } from "@sonde/proto/http/channel-types";
import type { ChannelInput } from "@sonde/proto/http/notification-channels";
import { useEffect, useEffectEvent, useState } from "react";
import { type FieldErrors, type FieldPath, FormProvider, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { FormDraft } from "../../../app/form-draft.tsx";
import { currentLanguage } from "../../../app/language.ts";
import { resolveFaults } from "../../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../../lib/translated-message.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { ChannelIcon } from "../../../ui/channel-icon.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Switch } from "../../../ui/inputs.tsx";
import { UnsavedGuard } from "../../../app/unsaved-guard.tsx";
import { ConfigFields, FirstFields } from "./config-fields.tsx";
import { type ChannelValues, checkValues, fieldsOf, hasAdvanced, pathOf, readInput } from "./form-values.ts";
import type { AfterSaving } from "./save.ts";
import { TypeChoice } from "./type-choice.tsx";

type ChannelFormProps = {
  initial: ChannelValues;
  type: ChannelTypeName;
  /** The types to choose from; without them the type is fixed. */
  choice?: { label: string; types: readonly ChannelTypeName[]; onChange: (type: ChannelTypeName) => void };
  /** First use: as few fields as the provider needs, and the type's name for a name. */
  guided?: boolean;
  labels: { submit: string; test: string; saving: string };
  /** Saves; answers where to go then. Rejects with the call's error. */
  onSave: (input: ChannelInput, after: AfterSaving) => Promise<() => void>;
  onCancel?: () => void;
};

/** The form of every type of channel, made from what the type declares. Nothing that was typed is lost by a failure. */
export function ChannelForm(props: ChannelFormProps) {
  const { initial, type, choice, guided = false, labels, onSave, onCancel } = props;
  const { t, i18n } = useTranslation();
  const [error, setError] = useTranslatedMessage();
  const [open, setOpen] = useState(() => hasAdvanced(type, initial.config[type] ?? {}));
  const [saving, setSaving] = useState<"save" | "test" | null>(null);
  // Where to go once saved. It waits for the render that lifts the guard.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);

  const named = (values: ChannelValues) => (guided ? { ...values, name: t(`channelTypes.${type}.name`) } : values);
  const form = useForm<ChannelValues>({
    defaultValues: initial,
    resolver: resolveFaults((values) => checkValues(type, named(values)), currentLanguage),
  });
  const { isDirty, isSubmitted } = form.formState;

  // Faults are words: in another language they are said anew.
  const sayAnew = useEffectEvent(() => {
    if (isSubmitted) void form.trigger();
  });
  useEffect(() => sayAnew(), [i18n.language]);

  /** A fault among what is shown on demand must be seen. */
  function reveal(names: readonly string[]) {
    if (fieldsOf(type).some(({ name, advanced }) => advanced === true && names.includes(name))) setOpen(true);
  }
  const whenInvalid = (found: FieldErrors<ChannelValues>) => {
    reveal(Object.keys(found.config?.[type] ?? {}));
    setError(() => i18n.t("channels.fixErrors"));
  };
  function report(reason: unknown) {
    const unplaced: string[] = [];
    for (const { path, message } of fieldErrorsOf(reason)) {
      const field = pathOf(type, path);
      if (field === null || (guided && field === "name")) unplaced.push(message);
      else form.setError(field as FieldPath<ChannelValues>, { message });
      reveal([path.split(".").at(1) ?? ""]);
    }
    setError(() => [errorText(reason, "saveChannel"), ...unplaced].join(" · "));
  }
  const submit = (kind: "save" | "test") =>
    form.handleSubmit(async (values) => {
      setError(null);
      setSaving(kind);
      try {
        const after = { useGlobally: values.useGlobally, test: kind === "test" };
        const go = await onSave(readInput(type, named(values)), after);
        setLeave(() => go);
      } catch (reason) {
        report(reason);
      } finally {
        setSaving(null);
      }
    }, whenInvalid)();

  return (
    <FormProvider {...form}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(guided ? "test" : "save");
        }}
      >
        <FormDraft name="channel" form={form} unsaved={isDirty && leave === null} />
        {error !== null && <Alert kind="error">{error}</Alert>}
        {choice === undefined ? (
          <FixedType type={type} />
        ) : (
          <TypeChoice
            {...choice}
            value={type}
            disabled={saving !== null}
            onChange={(next) => {
              // What was said is of the type before.
              setError(null);
              form.clearErrors();
              choice.onChange(next);
            }}
          />
        )}
        <p className="text-muted">{t(`channelTypes.${type}.setup`)}</p>
        {guided ? (
          <FirstFields type={type} />
        ) : (
          <>
            <FormField<ChannelValues> name="name" label={t("channels.name")} required>
              {(field) => <Input {...field} aria-required placeholder={t(`channelTypes.${type}.name`)} />}
            </FormField>
            <ConfigFields type={type} open={open} onOpenChange={setOpen} />
          </>
        )}
        {!guided && (
          <Switch label={t("channels.enabled")} hint={t("channels.enabledHint")} {...form.register("enabled")} />
        )}
        {choice !== undefined && (
          <Switch
            label={t("channels.useGlobally")}
            hint={t("channels.useGloballyHint")}
            {...form.register("useGlobally")}
          />
        )}
        <div className="flex flex-wrap items-center justify-end gap-2">
          {onCancel !== undefined && (
            <Button variant="ghost" onClick={onCancel} className="max-sm:mr-auto max-sm:-ml-2">
              {t("common.cancel")}
            </Button>
          )}
          <Button
            type={guided ? "button" : "submit"}
            {...(guided ? { onClick: () => void submit("save") } : {})}
            saving={saving === "save"}
            savingLabel={labels.saving}
            disabled={saving !== null}
          >
            {labels.submit}
          </Button>
          <Button
            type={guided ? "submit" : "button"}
            {...(guided ? {} : { onClick: () => void submit("test") })}
            variant="primary"
            saving={saving === "test"}
            savingLabel={labels.saving}
            disabled={saving !== null}
          >
            {labels.test}
          </Button>
        </div>
        <UnsavedGuard unsaved={isDirty && leave === null} />
      </form>
    </FormProvider>
  );
}

function FixedType({ type }: { type: ChannelTypeName }) {
  const { t } = useTranslation();
  return (
    <p className="flex items-center gap-2 text-[13px] text-muted">
      <ChannelIcon type={type} />
      <span className="font-medium text-ink">{t(`channelTypes.${type}.name`)}</span>
      {t("channels.typeFixed")}
    </p>
  );
}
