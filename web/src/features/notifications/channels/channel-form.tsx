import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { ChannelInput } from "@sonde/proto/http/notifications/channels";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormMessages, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { Button } from "../../../ui/button.tsx";
import { ChannelIcon } from "../../../ui/icons/channel-icon.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Switch } from "../../../ui/inputs.tsx";
import { ConfigFields, FirstFields } from "./config-fields.tsx";
import { type ChannelValues, checkValues, fieldsOf, hasAdvanced, pathOf, readInput } from "./form-values.ts";
import type { AfterSaving } from "./save.ts";
import { SearchableCards } from "../../../ui/choice.tsx";

type ChannelFormProps = {
  initial: ChannelValues;
  type: ChannelTypeName;
  /** Types to choose from. Without it, the type is fixed. */
  choice?: ChoiceOfType;
  /** First use: shows as few fields as possible and takes the type's name as the name. */
  guided?: boolean;
  labels: { submit: string; test: string; saving: string };
  /** Saves the channel. Returns a function that leaves the page. @throws the error of the request. */
  onSave: (input: ChannelInput, after: AfterSaving) => Promise<() => void>;
  onCancel?: () => void;
};

export function ChannelForm(props: ChannelFormProps) {
  const { initial, type, choice, guided = false, labels, onSave, onCancel } = props;
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState(() => hasAdvanced(type, initial.config[type] ?? {}));
  const [saving, setSaving] = useState<"save" | "test" | null>(null);

  /** Without a name, the channel has that of its type. */
  const named = (values: ChannelValues) =>
    guided || values.name.trim() === "" ? { ...values, name: t(`channelTypes.${type}.name`) } : values;
  function reveal(names: readonly string[]) {
    if (fieldsOf(type).some(({ name, advanced }) => advanced === true && names.includes(name))) setOpen(true);
  }
  const save = (kind: "save" | "test") => async (values: ChannelValues) => {
    setSaving(kind);
    const after = { useGlobally: values.useGlobally, test: kind === "test" };
    return onSave(readInput(type, named(values)), after).finally(() => setSaving(null));
  };
  const saveForm = useSaveForm<ChannelValues>({
    initial,
    check: (values) => checkValues(type, named(values)),
    fieldOf: (path) => (guided && path === "name" ? null : pathOf(type, path)),
    fallback: "saveChannel",
    onSave: save("save"),
    onErrors: (paths) => reveal(paths.map((path) => path.split(".").at(1) ?? "")),
    invalidText: () => i18n.t("channels.fixErrors"),
    onInvalid: (errors) => reveal(Object.keys(errors.config?.[type] ?? {})),
  });
  const { form, setError, unsaved } = saveForm;
  const submit = (kind: "save" | "test") => saveForm.sendWith(save(kind))();

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
        <FormMessages of={saveForm} draft="channel" />
        {choice === undefined ? (
          <p className="flex items-center gap-2 text-[13px] text-muted">
            <ChannelIcon type={type} />
            <span className="font-medium text-ink">{t(`channelTypes.${type}.name`)}</span>
            {t("channels.typeFixed")}
          </p>
        ) : (
          <TypeChoice
            {...choice}
            type={type}
            disabled={saving !== null}
            onChange={(next) => {
              // The error belongs to the previous type.
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
            <FormField<ChannelValues> name="name" label={t("common.optional", { label: t("channels.name") })}>
              {(field) => <Input {...field} placeholder={t(`channelTypes.${type}.name`)} />}
            </FormField>
            <ConfigFields type={type} open={open} onOpenChange={setOpen} />
            <Switch
              label={t("channels.fields.enabled")}
              hint={t("channels.enabledHint")}
              {...form.register("enabled")}
            />
          </>
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
        <UnsavedGuard unsaved={unsaved} />
      </form>
    </FormProvider>
  );
}

type ChoiceOfType = {
  label: string;
  types: readonly ChannelTypeName[];
  onChange: (type: ChannelTypeName) => void;
};
type TypeChoiceProps = ChoiceOfType & { type: ChannelTypeName; disabled: boolean };

function TypeChoice({ types, type, ...choice }: TypeChoiceProps) {
  const { t } = useTranslation();
  const options = types.map((value) => ({
    value,
    icon: <ChannelIcon type={value} />,
    name: t(`channelTypes.${value}.name`),
    hint: t(`channelTypes.${value}.purpose`),
  }));
  const words = { find: t("channels.findType"), nothing: t("channels.noType") };
  return <SearchableCards {...choice} {...words} value={type} options={options} />;
}
