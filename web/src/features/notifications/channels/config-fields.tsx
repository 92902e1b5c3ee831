import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";
import { Controller, type FieldPath, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { i18n } from "../../../app/i18n.ts";
import { Field, type FieldIds, Lockable } from "../../../ui/field.tsx";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { Input, PasswordInput, Select, Switch, Textarea } from "../../../ui/inputs.tsx";
import { type KeyValue, KeyValueEditor } from "../../../ui/key-value-editor.tsx";
import {
  type ChannelField,
  type ChannelValues,
  choicesOf,
  fieldsOf,
  type FieldValue,
  isRequired,
} from "./form-values.ts";

/** The fields that most need, and on demand the others. */
export function ConfigFields(props: { type: ChannelTypeName; open: boolean; onOpenChange: (open: boolean) => void }) {
  const { type, open, onOpenChange } = props;
  const { t } = useTranslation();
  const draw = (field: ChannelField) => <ConfigField key={`${type} ${field.name}`} type={type} field={field} />;
  const further = fieldsOf(type).filter(({ advanced }) => advanced === true);
  return (
    <>
      {usualFieldsOf(type).map(draw)}
      {further.length > 0 && (
        <details
          open={open}
          onToggle={(event) => onOpenChange(event.currentTarget.open)}
          className="group rounded-md border border-line"
        >
          <summary className="flex min-h-10 list-none items-center gap-x-2 rounded-md px-3 [&::-webkit-details-marker]:hidden">
            <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
            <span className="font-medium">{t("channels.advanced")}</span>
            <span className="text-[13px] text-faint">{t("channels.advancedHint")}</span>
          </summary>
          <div className="flex flex-col gap-4 border-t border-line p-3">{further.map(draw)}</div>
        </details>
      )}
    </>
  );
}

/** The first field alone; once something is in it, what else the provider needs. */
export function FirstFields({ type }: { type: ChannelTypeName }) {
  const config = useWatch<ChannelValues, "config">({ name: "config" });
  const usual = usualFieldsOf(type);
  const begun = config[type]?.[usual[0]?.name ?? ""] !== "";
  return usual
    .slice(0, begun ? undefined : 1)
    .map((field) => <ConfigField key={`${type} ${field.name}`} type={type} field={field} />);
}

const usualFieldsOf = (type: ChannelTypeName) => fieldsOf(type).filter(({ advanced }) => advanced !== true);

/** What is wrong with a field, by its path. */
function useFaults() {
  const { getFieldState, formState } = useFormContext<ChannelValues>();
  return (path: string) => getFieldState(path as "name", formState).error?.message;
}

type ConfigFieldProps = { type: ChannelTypeName; field: ChannelField };

/** One field of a channel's form, drawn by how it is entered: the same code for every type. */
function ConfigField({ type, field }: ConfigFieldProps) {
  const { t } = useTranslation();
  const faultAt = useFaults();
  const path = `config.${type}.${field.name}` as FieldPath<ChannelValues>;
  const { label, hint, optionOf } = useFieldWords(type, field.name);
  const required = isRequired(type, field.name);
  return (
    <Lockable name={path}>
      <Controller<ChannelValues>
        name={path}
        render={({ field: { value: given, ref, onBlur, onChange, name } }) => {
          const value = given as unknown as FieldValue;
          if (field.input === "switch") {
            return (
              <Switch
                label={label}
                hint={hint}
                checked={value === true}
                {...{ name, ref, onBlur }}
                onChange={({ target }) => onChange(target.checked)}
              />
            );
          }
          if (field.input === "headers") {
            return <HeadersField {...{ type, field, label, hint, onChange }} pairs={value as KeyValue[]} />;
          }
          const text = typeof value === "string" ? value : "";
          const secretHint = text === secretMask ? t("channels.secretKept") : (hint ?? t("channels.secretNew"));
          return (
            <Field
              label={required || field.input === "choice" ? label : t("common.optional", { label })}
              hint={field.input === "secret" ? secretHint : hint}
              error={faultAt(path)}
              required={required}
            >
              {(ids) => {
                const bound = { name, ref, onBlur, value: text, onChange, autoComplete: "off" };
                const props = { ...ids, ...bound, "aria-required": required || undefined };
                return <Control {...{ type, field, props, optionOf }} />;
              }}
            </Field>
          );
        }}
      />
    </Lockable>
  );
}

type ControlProps = ConfigFieldProps & {
  props: FieldIds & { value: string; onChange: (event: unknown) => void };
  optionOf: (option: string) => string;
};

function Control({ type, field: { name, input, placeholder }, props, optionOf }: ControlProps) {
  switch (input) {
    case "secret":
      return <SecretInput {...props} placeholder={placeholder} />;
    case "choice": {
      const options = choicesOf(type, name).map((value) => ({ value, label: optionOf(value) }));
      return <Select {...props} className="w-full" options={options} />;
    }
    case "lines":
      return <Textarea {...props} placeholder={placeholder} mono rows={5} spellCheck={false} />;
    case "number":
      return <Input {...props} placeholder={placeholder} inputMode="numeric" />;
    case "url":
      return <Input {...props} placeholder={placeholder} mono type="text" inputMode="url" spellCheck={false} />;
    default:
      return <Input {...props} placeholder={placeholder} spellCheck={false} />;
  }
}

/** A secret: typed unseen, shown on demand while it is being typed. What is stored is a mask, which stays as it is. */
function SecretInput(props: ControlProps["props"] & { placeholder: string | undefined }) {
  const { t } = useTranslation();
  const isStored = props.value === secretMask;
  return (
    <PasswordInput
      {...props}
      mono
      autoComplete="new-password"
      spellCheck={false}
      canShow={props.value !== "" && !isStored}
      labels={{ show: t("channels.showTyped"), hide: t("channels.hideTyped") }}
      // Typing into a mask means a new value, not a mask with letters in it.
      onFocus={(event) => isStored && event.target.select()}
    />
  );
}

type HeadersFieldProps = ConfigFieldProps & {
  label: string;
  hint: string | undefined;
  pairs: readonly KeyValue[];
  onChange: (pairs: KeyValue[]) => void;
};

function HeadersField({ type, field, label, hint, pairs, onChange }: HeadersFieldProps) {
  const { t } = useTranslation();
  const faultAt = useFaults();
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-[13px] font-medium">{label}</p>
      <KeyValueEditor
        label={label}
        nameLabel={t("monitorKinds.http.headerName")}
        valueLabel={t("monitorKinds.http.headerValue")}
        addLabel={t("monitorKinds.http.addHeader")}
        pairs={pairs}
        onChange={onChange}
        errorOf={(index, part) => faultAt(`config.${type}.${field.name}.${index}.${part}`)}
        isSecret={({ name }) => isSecretHeader(name)}
      />
      {hint !== undefined && <p className="text-[13px] text-faint">{hint}</p>}
    </div>
  );
}

/** The words of a field of a channel's form. That none is missing is checked where the catalogue is written. */
function useFieldWords(type: ChannelTypeName, name: string) {
  const { t } = useTranslation();
  const text = (key: string) => (i18n.exists(key) ? t(key as "channelTypes.slack.name") : undefined);
  return {
    label: text(`channelTypes.${type}.fields.${name}.label`) ?? name,
    hint: text(`channelTypes.${type}.fields.${name}.hint`),
    /** A choice without words of its own is shown as it is: `POST`. */
    optionOf: (option: string) => text(`channelTypes.${type}.fields.${name}.options.${option}`) ?? option,
  };
}
