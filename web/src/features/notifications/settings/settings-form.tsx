import type { NotificationSettings } from "@sonde/proto/http/notification-settings";
import type { TargetType } from "@sonde/proto/http/targets";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { type FieldPath, FormProvider, useForm, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { FormDraft } from "../../../app/form-draft.tsx";
import { useSession } from "../../../app/hooks.ts";
import { currentLanguage } from "../../../app/language.ts";
import { resolveFaults } from "../../../lib/form-faults.ts";
import { useTranslatedMessage } from "../../../lib/translated-message.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { FieldGroup } from "../../../ui/field-group.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { type NextReminder, type SettingsOwner, useSaveSettingsMutation } from "../api.ts";
import { ChannelFields } from "./channel-fields.tsx";
import { EventFields, ThresholdFields } from "./event-fields.tsx";
import { checkValues, pathOf, readInput, type SettingsValues, toValues } from "./form-values.ts";
import { MessageFields } from "./message-fields.tsx";
import { QuietFields } from "./quiet-fields.tsx";
import { ReminderFields } from "./reminder-fields.tsx";

type SettingsFormProps = {
  title: string;
  hint: ReactNode;
  type: TargetType;
  owner: SettingsOwner;
  settings: NotificationSettings;
  nextReminder: NextReminder | undefined;
  submitLabel: string;
  /** Beside the button that saves. */
  actions?: ReactNode;
  /** Saving is of use although nothing was changed. */
  saveable?: boolean;
  onUnsaved: (unsaved: boolean) => void;
};

/** Who is told of what, when and how: of all monitors or agents, or of one. */
export function SettingsForm(props: SettingsFormProps) {
  const { title, hint, type, owner, settings, nextReminder, submitLabel, actions, saveable = false } = props;
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const [save] = useSaveSettingsMutation();
  const [error, setError] = useTranslatedMessage();
  const [saved, setSaved] = useState<string | null>(null);
  const form = useForm<SettingsValues>({
    values: toValues(settings),
    resetOptions: { keepDirtyValues: true },
    resolver: resolveFaults((values) => checkValues(type, values, t), currentLanguage),
  });
  const { isDirty, isSubmitting, isSubmitted } = form.formState;
  const enabled = useWatch({ control: form.control, name: "enabled" });
  const tell = useEffectEvent(props.onUnsaved);
  useEffect(() => {
    tell(isDirty);
    return () => tell(false);
  }, [isDirty]);

  // Faults are words: in another language they are said anew.
  const sayAnew = useEffectEvent(() => {
    if (isSubmitted) void form.trigger();
  });
  useEffect(() => sayAnew(), [i18n.language]);

  function report(reason: unknown) {
    const unplaced: string[] = [];
    for (const { path, message } of fieldErrorsOf(reason)) {
      const field = pathOf(path);
      if (field === null) unplaced.push(message);
      else form.setError(field as FieldPath<SettingsValues>, { message });
    }
    setError(() => [errorText(reason, "saveSettings"), ...unplaced].join(" · "));
  }
  const submit = form.handleSubmit(
    async (values) => {
      setError(null);
      setSaved(null);
      try {
        const answer = await save({ ...owner, settings: readInput(type, values) }).unwrap();
        form.reset(toValues(answer.settings));
        setSaved(answer.message ?? t("notificationSettings.saved"));
      } catch (reason) {
        report(reason);
      }
    },
    () => setError(() => i18n.t("notificationSettings.fixErrors")),
  );

  return (
    <FormProvider {...form}>
      <form noValidate aria-label={title} onSubmit={(event) => void submit(event)}>
        <FormDraft name={`settings ${type}`} form={form} unsaved={isDirty} />
        <Card title={title} flush>
          <fieldset disabled={!mayChange} className="flex min-w-0 flex-col divide-y divide-line">
            <div className="flex flex-col gap-4 px-4 py-4 md:px-5">
              <div className="text-muted">{hint}</div>
              <Switch
                label={t("notificationSettings.enabled")}
                hint={enabled ? undefined : t("notificationSettings.disabledHint")}
                {...form.register("enabled")}
              />
            </div>
            <FieldGroup title={t("notificationSettings.channels")}>
              <ChannelFields />
            </FieldGroup>
            <FieldGroup title={t("notificationSettings.events")}>
              <EventFields type={type} />
            </FieldGroup>
            {type === "agent" && (
              <FieldGroup title={t("notificationSettings.thresholds")}>
                <ThresholdFields />
              </FieldGroup>
            )}
            <FieldGroup title={t("notificationSettings.reminders")}>
              <ReminderFields next={nextReminder} />
            </FieldGroup>
            <FieldGroup title={t("notificationSettings.quiet")}>
              <QuietFields />
            </FieldGroup>
            <FieldGroup title={t("notificationSettings.message")}>
              <MessageFields type={type} />
            </FieldGroup>
            {mayChange && (
              <div className="flex flex-wrap items-center justify-end gap-2 px-4 py-3 md:px-5">
                {/* Beside the button: the form is longer than a screen. */}
                {error !== null && (
                  <Alert kind="error" className="w-full">
                    {error}
                  </Alert>
                )}
                {saved !== null && !isDirty && (
                  <Alert kind="success" className="w-full">
                    {saved}
                  </Alert>
                )}
                {actions}
                <Button
                  type="submit"
                  variant="primary"
                  disabled={!isDirty && !saveable}
                  saving={isSubmitting}
                  savingLabel={t("notificationSettings.saving")}
                >
                  {submitLabel}
                </Button>
              </div>
            )}
          </fieldset>
        </Card>
      </form>
    </FormProvider>
  );
}
