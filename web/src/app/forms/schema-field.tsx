import type { FormField } from "@sonde/proto/http/form";
import { isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";
import { Controller, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { parseTypedNumber } from "../../lib/typed.ts";
import { Field, type FieldIds, Lockable } from "../../ui/field.tsx";
import { Input, PasswordInput, Select, Switch, Textarea } from "../../ui/inputs.tsx";
import { type KeyValue, KeyValueEditor } from "../../ui/key-value-editor.tsx";

/** Value of a field: text as typed, a switch, or header pairs. */
export type FieldValue = string | boolean | KeyValue[];

export function showField({ input }: Pick<FormField, "input">, value: unknown): FieldValue {
  if (input === "switch") return value === true;
  if (input === "headers") return Array.isArray(value) ? (value as KeyValue[]).map((pair) => ({ ...pair })) : [];
  if (input === "list") return Array.isArray(value) ? value.join("\n") : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Returns the value of a field. `empty` replaces empty text; without it the text itself is returned. */
export function readField({ input }: Pick<FormField, "input">, value: FieldValue | undefined, empty: unknown): unknown {
  if (input === "headers") {
    const pairs = Array.isArray(value) ? value : [];
    return pairs.filter((pair) => pair.name.trim() !== "" || pair.value.trim() !== "");
  }
  if (typeof value !== "string") return value;
  if (input === "list") return value.split(/[\s,]+/).filter((text) => text !== "");
  if (value.trim() === "" && empty !== undefined) return empty;
  if (input === "url") return value.trim();
  // The schema reports a missing number.
  return input === "number" ? (parseTypedNumber(value) ?? NaN) : value;
}

export type FieldWords = {
  label: string;
  hint: string | undefined;
  /** An option without a label is shown as it is, for example `POST`. */
  optionOf?: (option: string) => string;
};

/** Returns a lookup for texts that may be missing. Most fields have no hint. */
export function useTextIfAny(): (key: string) => string | undefined {
  const { t, i18n } = useTranslation();
  return (key) => (i18n.exists(key) ? t(key as "common.none") : undefined);
}

type SchemaFieldProps = {
  field: FormField;
  path: string;
  words: FieldWords;
  required: boolean;
  options?: readonly string[];
};

/** A form field, rendered as its schema's metadata describes. */
export function SchemaField({
  field,
  path,
  words: { label, hint, optionOf },
  required,
  options = [],
}: SchemaFieldProps) {
  const { t } = useTranslation();
  const { getFieldState, formState } = useFormContext();
  return (
    <Lockable name={path}>
      <Controller
        name={path}
        render={({ field: { value, ref, onBlur, onChange, name } }) => {
          if (field.input === "switch") {
            return (
              <Switch
                {...{ label, hint, name, ref, onBlur }}
                checked={value === true}
                onChange={({ target }) => onChange(target.checked)}
              />
            );
          }
          if (field.input === "headers")
            return <HeadersField {...{ path, label, hint, onChange }} pairs={value as KeyValue[]} />;
          const text = typeof value === "string" ? value : "";
          const secretHint = text === secretMask ? t("channels.secretKept") : (hint ?? t("channels.secretNew"));
          return (
            <Field
              label={label}
              hint={field.input === "secret" ? secretHint : hint}
              error={getFieldState(path, formState).error?.message}
              required={required}
            >
              {(ids) => {
                const bound = { name, ref, onBlur, value: text, onChange, autoComplete: "off" };
                const props = { ...ids, ...bound, "aria-required": required || undefined };
                if (field.input === "choice") {
                  const choices = options.map((option) => ({ value: option, label: optionOf?.(option) ?? option }));
                  return <Select {...props} className="w-full" options={choices} />;
                }
                return <TextControl field={field} props={props} />;
              }}
            </Field>
          );
        }}
      />
    </Lockable>
  );
}

type TextProps = FieldIds & { value: string; onChange: (event: unknown) => void };

function TextControl({ field: { input, placeholder }, props }: { field: FormField; props: TextProps }) {
  switch (input) {
    case "secret":
      return <SecretInput {...props} placeholder={placeholder} />;
    case "paragraph":
      return <Textarea {...props} placeholder={placeholder} rows={3} />;
    case "lines":
      return <Textarea {...props} placeholder={placeholder} mono rows={5} spellCheck={false} />;
    case "list":
      return <Textarea {...props} placeholder={placeholder} mono rows={3} spellCheck={false} />;
    case "number":
      return <Input {...props} placeholder={placeholder} inputMode="numeric" />;
    case "url":
      return <Input {...props} placeholder={placeholder} mono type="text" inputMode="url" spellCheck={false} />;
    default:
      return <Input {...props} placeholder={placeholder} spellCheck={false} />;
  }
}

/** A secret, hidden unless the user reveals it while typing. A stored secret is shown as a mask. */
function SecretInput(props: TextProps & { placeholder: string | undefined }) {
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
      // Typing replaces the whole mask.
      onFocus={(event) => isStored && event.target.select()}
    />
  );
}

type HeadersFieldProps = {
  path: string;
  label: string;
  hint: string | undefined;
  pairs: readonly KeyValue[];
  onChange: (pairs: KeyValue[]) => void;
};

function HeadersField({ path, label, hint, pairs, onChange }: HeadersFieldProps) {
  const { t } = useTranslation();
  const { getFieldState, formState } = useFormContext();
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
        errorOf={(index, part) => getFieldState(`${path}.${index}.${part}`, formState).error?.message}
        isSecret={({ name }) => isSecretHeader(name)}
      />
      {hint !== undefined && <p className="text-[13px] text-faint">{hint}</p>}
    </div>
  );
}
