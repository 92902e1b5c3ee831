import { choicesOf, isRequired, partsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type CheckType, kindOf } from "@sonde/proto/http/monitors/kinds";
import { secretMask } from "@sonde/proto/http/secrets";
import { type ReactNode, useState } from "react";
import { type FieldValues as FormFields, get, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import {
  type FieldForm,
  type FieldGroupName,
  fieldGroups,
  type CheckFields,
} from "../../../entities/kinds/kind-form.ts";
import { kindForms, useText } from "../../../entities/kinds/kinds.ts";
import { withScheme } from "../../../lib/typed.ts";
import { cx } from "../../../ui/cx.ts";
import { Disclosure } from "../../../ui/disclosure.tsx";
import { FieldGroup, FieldLocks, Lockable } from "../../../ui/field.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { Input, PasswordInput, Switch } from "../../../ui/inputs.tsx";
import type { FieldGridProps, FieldProps } from "./field.ts";
import { AssertionsField } from "./inputs/assertions.tsx";
import { ExtractionsField } from "./inputs/extractions.tsx";
import { HeadersField } from "./inputs/headers.tsx";
import { MembersField, NeedField } from "./members.tsx";
import { ScheduleField } from "./schedule.tsx";
import { StepsField } from "./inputs/steps.tsx";
import { emptyCheck } from "./values.ts";

const components: Partial<Record<FieldForm["input"], (props: FieldProps) => ReactNode>> = {
  object: ObjectField,
  headers: HeadersField,
  assertions: AssertionsField,
  extractions: ExtractionsField,
  steps: (props) => <StepsField {...props} Grid={FieldGrid} />,
  schedule: ScheduleField,
  members: MembersField,
  need: NeedField,
};

const widths = {
  half: "sm:col-span-6",
  third: "sm:col-span-4",
  wide: "sm:col-span-9",
  narrow: "sm:col-span-3",
};

export function FieldGrid({ path, fields, shape, isOptional, children }: FieldGridProps) {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-12">
      {children}
      {fields.map(([name, form]) => {
        const field = { path: path === "" ? name : `${path}.${name}`, form, schema: shape[name], isOptional };
        return form.shownIf === undefined && form.usual === undefined ? (
          <PlacedField key={name} {...field} />
        ) : (
          <WatchingField key={name} {...field} around={path} />
        );
      })}
    </div>
  );
}

/** A field whose visibility or placeholder depends on other fields. */
function WatchingField({ around, ...field }: FieldProps & { around: string }) {
  const all = useWatch<FormFields>();
  const values = (around === "" ? all : get(all, around)) as CheckFields;
  const { form } = field;
  if (form.shownIf?.(values) === false) return null;
  if (form.usual === undefined) return <PlacedField {...field} />;
  const placeholder = String(form.usual(values) ?? form.placeholder);
  return <PlacedField {...field} form={{ ...form, placeholder }} />;
}

function PlacedField(field: FieldProps) {
  const { input, width } = field.form;
  if (input === "cron" || input === "timeZone" || input === "memberTag") return null;
  const Component = components[input] ?? PlainField;
  return (
    <div className={cx("min-w-0", width === undefined ? "sm:col-span-12" : widths[width])}>
      <Component {...field} />
    </div>
  );
}

function PlainField({ path, form, schema, isOptional = false }: FieldProps) {
  const text = useText();
  const { register, getValues, setValue, trigger, clearErrors } = useFormContext<FormFields>();
  const { input, placeholder, rows } = form;
  const words = { label: text(form.label), hint: form.hint && text(form.hint) };
  if (input === "switch") return <Switch {...words} {...register(path)} />;
  if (input === "secret") return <SecretField path={path} {...words} />;
  if (input === "choice") {
    const values = [...(form.options?.[""] === undefined ? [] : [""]), ...choicesOf(schema)];
    // A value without a label is shown unchanged, for example `POST`.
    const wordsOf = (value: string) => form.options?.[value];
    const options = values.map((value) => ({ value, label: text(wordsOf(value) ?? { en: value, zh: value }) }));
    return <FormField<FormFields> name={path} {...words} options={options} />;
  }
  const field = { ...words, name: path, required: !isOptional && isRequired(schema) && form.usual === undefined };
  const isCode =
    input !== "text" && input !== "prose" && input !== "number" && input !== "duration" && input !== "status";
  if (input !== "webAddress") {
    const inputMode = input === "number" ? "numeric" : input === "url" ? "url" : undefined;
    return <TextField<FormFields> {...field} {...{ placeholder, rows, inputMode }} mono={isCode} />;
  }
  return (
    <FormField<FormFields> {...field}>
      {(props) => (
        <Input
          {...props}
          onBlur={(event) => {
            const typed = String(getValues(path));
            if (withScheme(typed) !== typed) setValue(path, withScheme(typed), { shouldDirty: true });
            if (typed !== "") void trigger(path);
            void props.onBlur(event);
          }}
          onChange={(event) => {
            clearErrors(path);
            void props.onChange(event);
          }}
          placeholder={placeholder}
          type="url"
          inputMode="url"
          mono
          spellCheck={false}
        />
      )}
    </FormField>
  );
}

function SecretField({ path, label, hint }: { path: string; label: string; hint: string | undefined }) {
  const { t } = useTranslation();
  const typed: unknown = useWatch<FormFields>({ name: path });
  const isStored = typed === secretMask;
  return (
    <FormField<FormFields> name={path} label={label} hint={isStored ? t("monitorKinds.passwordKept") : hint}>
      {(control) => (
        <PasswordInput
          {...control}
          mono
          autoComplete="new-password"
          spellCheck={false}
          canShow={typed !== "" && !isStored}
          labels={{ show: t("monitorKinds.showTyped"), hide: t("monitorKinds.hideTyped") }}
          // Typing replaces a mask completely.
          onFocus={(event) => isStored && event.target.select()}
        />
      )}
    </FormField>
  );
}

const noLock = () => undefined;

function ObjectField({ path, form, schema }: FieldProps) {
  const text = useText();
  return (
    <Lockable name={path}>
      <FieldLocks value={noLock}>
        <div role="group" aria-label={text(form.label)} className="flex flex-col gap-3">
          <p className="text-[13px] font-medium">{text(form.label)}</p>
          <FieldGrid path={path} fields={Object.entries(form.parts ?? {})} shape={partsOf(schema)} isOptional />
          {form.hint !== undefined && <p className="text-[13px] text-faint">{text(form.hint)}</p>}
        </div>
      </FieldLocks>
    </Lockable>
  );
}

/** The fields of a kind at a position of the form, or `null` if there are none. */
function fieldsAt(type: CheckType, at: FieldForm["place"]) {
  const fields = Object.entries(kindForms[type].fields).filter(([, { place = "check" }]) => place === at);
  return fields.length === 0 ? null : fields;
}

export const hasFields = (type: CheckType, place: FieldForm["place"]) => fieldsAt(type, place) !== null;

/** Renders the fields outside the advanced section. */
export function KindFields({ type, place }: { type: CheckType; place: "address" | "basic" }) {
  const fields = fieldsAt(type, place);
  return fields && <FieldGrid key={type} path={type} fields={fields} shape={kindOf(type).fields} />;
}

export function KindGroups({ type }: { type: CheckType }) {
  const text = useText();
  return (Object.keys(fieldGroups) as FieldGroupName[]).map((name) => {
    const fields = fieldsAt(type, name);
    if (fields === null) return null;
    const grid = <FieldGrid path={type} fields={fields} shape={kindOf(type).fields} />;
    const { title, ...group } = fieldGroups[name];
    if (!("folded" in group)) {
      return (
        <FieldGroup key={name} title={text(title)}>
          {grid}
        </FieldGroup>
      );
    }
    return (
      <FoldedGroup
        key={`${type} ${name}`}
        type={type}
        names={fields.map(([each]) => each)}
        title={text(title)}
        hint={text(group.folded)}
      >
        {grid}
      </FoldedGroup>
    );
  });
}

type FoldedGroupProps = { type: CheckType; names: readonly string[]; title: string; hint: string; children: ReactNode };

/** Rarely used fields. Rendered when opened, in use, or invalid. */
function FoldedGroup({ type, names, title, hint, children }: FoldedGroupProps) {
  const { getValues, formState } = useFormContext<FormFields>();
  const [isOpen, setOpen] = useState(() => {
    const [values, empty] = [getValues(type) as CheckFields, emptyCheck(type)];
    return names.some((name) => JSON.stringify(values[name]) !== JSON.stringify(empty[name]));
  });
  const isShown = isOpen || names.some((name) => get(formState.errors, `${type}.${name}`) !== undefined);
  return (
    <Disclosure {...{ title, hint }} open={isShown} onOpenChange={setOpen} className="px-4 py-4 md:px-5">
      {children}
    </Disclosure>
  );
}
