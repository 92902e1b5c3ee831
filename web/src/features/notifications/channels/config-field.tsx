import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";
import { Controller, type FieldPath, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { i18n } from "../../../app/i18n.ts";
import { type ChannelField, type ChannelValues, choicesOf, type FieldValue, isRequired } from "./form-values.ts";
import { SecretInput } from "./secret-input.tsx";
import { Field, type FieldIds } from "../../../ui/field.tsx";
import { Input, Select, Switch, Textarea } from "../../../ui/inputs.tsx";
import { type KeyValue, KeyValueEditor } from "../../../ui/key-value-editor.tsx";

/** What is wrong with a field, by its path. */
function useFaults() {
  const { getFieldState, formState } = useFormContext<ChannelValues>();
  return (path: string) => getFieldState(path as "name", formState).error?.message;
}

type ConfigFieldProps = { type: ChannelTypeName; field: ChannelField; autoFocus?: boolean };

/** One field of a channel's form, drawn by how it is entered: the same code for every type. */
export function ConfigField({ type, field, autoFocus = false }: ConfigFieldProps) {
  const { t } = useTranslation();
  const faultAt = useFaults();
  const path = `config.${type}.${field.name}` as FieldPath<ChannelValues>;
  const { label, hint, optionOf } = useFieldWords(type)(field.name);
  const required = isRequired(type, field.name);
  const error = faultAt(path);
  return (
    <Controller<ChannelValues>
      name={path}
      render={({ field: bound }) => {
        const { value: given, ref, onBlur, onChange, name } = bound;
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
        const control = { name, ref, onBlur, value: text, onChange, autoFocus, autoComplete: "off" };
        const secretHint = text === secretMask ? t("channels.secretKept") : (hint ?? t("channels.secretNew"));
        return (
          <Field
            label={required || field.input === "choice" ? label : t("common.optional", { label })}
            hint={field.input === "secret" ? secretHint : hint}
            error={error}
            required={required}
          >
            {(ids) => {
              const props = {
                ...ids,
                ...control,
                placeholder: field.placeholder,
                "aria-required": required || undefined,
              };
              return <Control {...{ type, field, props, optionOf }} />;
            }}
          </Field>
        );
      }}
    />
  );
}

type ControlProps = {
  type: ChannelTypeName;
  field: ChannelField;
  props: FieldIds & {
    value: string;
    onChange: (event: unknown) => void;
    placeholder: string | undefined;
    autoFocus: boolean;
  };
  optionOf: (option: string) => string;
};

function Control({ type, field, props, optionOf }: ControlProps) {
  switch (field.input) {
    case "secret":
      return <SecretInput {...props} />;
    case "choice": {
      const { placeholder: _none, ...rest } = props;
      return (
        <Select {...rest} className="w-full">
          {choicesOf(type, field.name).map((option) => (
            <option key={option} value={option}>
              {optionOf(option)}
            </option>
          ))}
        </Select>
      );
    }
    case "lines":
      return <Textarea {...props} mono rows={5} spellCheck={false} />;
    case "number":
      return <Input {...props} inputMode="numeric" />;
    case "url":
      return <Input {...props} mono type="text" inputMode="url" spellCheck={false} />;
    default:
      return <Input {...props} spellCheck={false} />;
  }
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
  const errorOf = (index: number, part: "name" | "value") => faultAt(`config.${type}.${field.name}.${index}.${part}`);
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
        errorOf={errorOf}
        isSecret={({ name }) => isSecretHeader(name)}
      />
      {hint !== undefined && <p className="text-[13px] text-faint">{hint}</p>}
    </div>
  );
}

/** The words of a field of a channel's form. That none is missing is checked where the catalogue is written. */
export function useFieldWords(type: ChannelTypeName) {
  const { t } = useTranslation();
  const text = (key: string) => (i18n.exists(key) ? t(key as "channelTypes.slack.name") : undefined);
  return (name: string) => ({
    label: text(`channelTypes.${type}.fields.${name}.label`) ?? name,
    hint: text(`channelTypes.${type}.fields.${name}.hint`),
    /** A choice without words of its own stands as it is: `POST`. */
    optionOf: (option: string) => text(`channelTypes.${type}.fields.${name}.options.${option}`) ?? option,
  });
}
