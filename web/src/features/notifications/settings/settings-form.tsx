import type { ManagedBy } from "@sonde/proto/http/config/managed";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { ReactNode } from "react";
import { FormProvider, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import type { AllSettings } from "../../../entities/notifications/api.ts";
import { ownSettings } from "../../../entities/notifications/audience.tsx";
import { FormDraft, FormMessages, useSaveForm } from "../../../app/forms/save-form.tsx";
import { RehearseButton } from "../../../entities/rehearsal/rehearse-button.tsx";
import type { RehearsalDraft } from "../../../entities/rehearsal/rehearsal.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { FieldGroup, Lockable } from "../../../ui/field.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { type NextReminder, type TargetName, useRemoveSettingsMutation, useSaveSettingsMutation } from "../api.ts";
import {
  ChannelFields,
  EventFields,
  MessageFields,
  PolicyField,
  QuietFields,
  ReminderFields,
  ThresholdFields,
} from "./fields.tsx";
import { AudienceOfDraft, RuleFields } from "./rules.tsx";
import { checkValues, pathOf, readInput, type SettingsValues, toValues } from "./form-values.ts";

/** Source of a target's settings, or of the global ones without `id`. Agents' own are never managed. */
export function ownerOf({ managed }: AllSettings, type: TargetType, id?: number): ManagedBy | undefined {
  if (id === undefined) return managed?.[type === "monitor" ? "globalMonitor" : "globalAgent"];
  return type === "monitor" ? managed?.monitors[id] : undefined;
}

function documentField(name: string): string {
  const [field = ""] = name.split(".");
  return field === "templateId" ? "template" : field === "policyId" ? "policy" : field;
}

/** Returns the next reminder if it follows the settings of this target, or without `id` the global ones. */
function nextReminderOf(all: AllSettings, type: TargetType, id?: number): NextReminder | undefined {
  const next = all.nextReminder;
  if (next === undefined || next.target.type !== type) return undefined;
  const isBy = id === undefined ? ownSettings(all, type, next.target.id) === undefined : next.target.id === id;
  return isBy ? next : undefined;
}

function draftFor(type: TargetType, id: number | undefined, settings: NotificationSettings): RehearsalDraft {
  const name = id === undefined ? (type === "monitor" ? "globalMonitor" : "globalAgent") : `${type}s`;
  return { settings: { [name]: id === undefined ? settings : { [id]: settings } } };
}

type SettingsFormProps = {
  title: string;
  all: AllSettings;
  type: TargetType;
  /** Absent for the global settings. */
  targetId?: number;
  actions?: ReactNode;
  onUnsaved: (unsaved: boolean) => void;
};

export function SettingsForm({ title, all, type, targetId, actions, onUnsaved }: SettingsFormProps) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const [save] = useSaveSettingsMutation();
  const isGlobal = targetId === undefined;
  const own = isGlobal ? undefined : ownSettings(all, type, targetId);
  const saveForm = useSaveForm<SettingsValues>({
    stored: toValues(own ?? (type === "monitor" ? all.globalMonitor : all.globalAgent)),
    check: (values) => checkValues(type, values, isGlobal, t),
    fieldOf: pathOf,
    fallback: "saveSettings",
    onUnsaved,
    onSave: async (values) => {
      const scope = isGlobal ? (`global-${type}` as const) : type;
      const answer = await save({ scope, targetId, settings: readInput(type, values, isGlobal) }).unwrap();
      form.reset(toValues(answer.settings));
      return answer.message ?? t("notificationSettings.saved");
    },
    invalidText: () => i18n.t("notificationSettings.fixErrors"),
  });
  const { form, isDirty, isSaving } = saveForm;
  const enabled = useWatch({ control: form.control, name: "enabled" });
  // Saving the global values unchanged creates the target's own settings.
  const isSaveable = isDirty || (!isGlobal && own === undefined);

  return (
    <FormProvider {...form}>
      <ManagedForm
        managed={ownerOf(all, type, targetId)}
        kind={isGlobal ? "settings" : "notify"}
        fieldOf={documentField}
      >
        <form noValidate aria-label={title} onSubmit={saveForm.submit}>
          <FormDraft name={`settings ${type}`} form={form} unsaved={isDirty} />
          <Card title={title} flush>
            <div className="flex min-w-0 flex-col divide-y divide-line">
              <fieldset disabled={!mayChange} className="flex min-w-0 flex-col divide-y divide-line">
                <div className="flex flex-col gap-4 px-4 py-4 md:px-5">
                  <div className="text-muted">
                    {t(`notificationSettings.${isGlobal ? "globalHint" : own === undefined ? "follows" : "own"}`)}
                  </div>
                  <Switch
                    label={t("notificationSettings.fields.enabled")}
                    hint={enabled ? undefined : t("notificationSettings.disabledHint")}
                    {...form.register("enabled")}
                  />
                </div>
                <FieldGroup title={t("notificationSettings.fields.channels")}>
                  <Lockable name="channels">
                    <ChannelFields name="channels" />
                  </Lockable>
                </FieldGroup>
                {isGlobal && (
                  <FieldGroup title={t("notificationSettings.fields.rules")}>
                    <Lockable name="rules">
                      <RuleFields />
                    </Lockable>
                  </FieldGroup>
                )}
              </fieldset>
              {/* Outside of the fieldsets, so that viewers can use it. */}
              {isGlobal && <AudienceOfDraft all={all} type={type} />}
              <fieldset disabled={!mayChange} className="flex min-w-0 flex-col divide-y divide-line">
                <FieldGroup title={t("notificationSettings.fields.events")}>
                  <Lockable name="events">
                    <EventFields type={type} />
                  </Lockable>
                </FieldGroup>
                {type === "agent" && (
                  <FieldGroup title={t("notificationSettings.fields.thresholds")}>
                    <Lockable name="thresholds">
                      <ThresholdFields />
                    </Lockable>
                  </FieldGroup>
                )}
                <FieldGroup title={t("notificationSettings.reminders")}>
                  <ReminderFields next={nextReminderOf(all, type, targetId)} />
                </FieldGroup>
                <FieldGroup title={t("notificationSettings.fields.policyId")}>
                  <PolicyField name="policyId" />
                </FieldGroup>
                <FieldGroup title={t("notificationSettings.fields.quietHours")}>
                  <Lockable name="quietHours">
                    <QuietFields />
                  </Lockable>
                </FieldGroup>
                <FieldGroup title={t("notificationSettings.message")}>
                  <MessageFields type={type} />
                </FieldGroup>
                {mayChange && (
                  <div className="flex flex-wrap items-center justify-end gap-2 px-4 py-3 md:px-5">
                    {/* Next to the button, because the form is longer than a screen. */}
                    <FormMessages of={saveForm} className="w-full" />
                    <RehearseButton
                      draftOf={() => {
                        const values = form.getValues();
                        if (checkValues(type, values, isGlobal, t).length > 0) return null;
                        return draftFor(type, targetId, readInput(type, values, isGlobal));
                      }}
                    />
                    {actions}
                    <Button
                      type="submit"
                      variant="primary"
                      disabled={!isSaveable}
                      saving={isSaving}
                      savingLabel={t("common.saving")}
                    >
                      {t(isGlobal ? "notificationSettings.save" : "notificationSettings.saveOwn")}
                    </Button>
                  </div>
                )}
              </fieldset>
            </div>
          </Card>
        </form>
      </ManagedForm>
    </FormProvider>
  );
}

type RemoveSettingsDialogProps = {
  /** Target whose settings are to be removed. `null` closes the dialog. */
  target: TargetName | null;
  onClose: () => void;
  onRemoved: (message: string) => void;
};

export function RemoveSettingsDialog({ target, onClose, onRemoved }: RemoveSettingsDialogProps) {
  const { t } = useTranslation();
  const [remove] = useRemoveSettingsMutation();
  return (
    <DeleteDialog
      target={target}
      onClose={onClose}
      onDeleted={onRemoved}
      noun="notificationSettings"
      fallback="deletion"
      action={t("notificationSettings.remove.action")}
      remove={(targetId) => remove({ scope: target?.type ?? "monitor", targetId })}
    />
  );
}
