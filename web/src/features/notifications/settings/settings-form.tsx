import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { ReactNode } from "react";
import { FormProvider, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormDraft, FormMessages, useSaveForm } from "../../../app/save-form.tsx";
import { useSession } from "../../../app/hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { FieldGroup } from "../../../ui/field.tsx";
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

/** Who is notified of what, when and how: of all monitors or agents, or of one. */
export function SettingsForm(props: SettingsFormProps) {
  const { title, hint, type, owner, settings, nextReminder, submitLabel, actions, saveable = false } = props;
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const [save] = useSaveSettingsMutation();
  const saveForm = useSaveForm<SettingsValues>({
    stored: toValues(settings),
    check: (values) => checkValues(type, values, t),
    fieldOf: pathOf,
    focusFaults: false,
    fallback: "saveSettings",
    onUnsaved: props.onUnsaved,
    onSave: async (values) => {
      const answer = await save({ ...owner, settings: readInput(type, values) }).unwrap();
      form.reset(toValues(answer.settings));
      return answer.message ?? t("notificationSettings.saved");
    },
    invalidText: () => i18n.t("notificationSettings.fixErrors"),
  });
  const { form, isDirty, isSaving } = saveForm;
  const enabled = useWatch({ control: form.control, name: "enabled" });

  return (
    <FormProvider {...form}>
      <form noValidate aria-label={title} onSubmit={saveForm.submit}>
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
                <FormMessages of={saveForm} className="w-full" />
                {actions}
                <Button
                  type="submit"
                  variant="primary"
                  disabled={!isDirty && !saveable}
                  saving={isSaving}
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
