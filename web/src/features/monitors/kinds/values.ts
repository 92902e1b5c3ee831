import { defaultOf, isRequired, partsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type CheckDraft, type CheckType, kindOf } from "@sonde/proto/http/monitors/kinds";
import type { z } from "zod";
import type { FieldForm, CheckFields } from "../../../entities/kinds/kind-form.ts";
import { kindForms } from "../../../entities/kinds/kinds.ts";
import { codecs, type Codec, rowsOf, type SchemaField } from "./codecs.ts";

export type CheckValues = Record<string, unknown>;

type Fields = Readonly<Record<string, FieldForm>>;
const partsIn = ({ form, schema }: SchemaField) => [form.parts ?? {}, partsOf(schema)] as const;
const withoutNulls = (values: CheckFields) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** No value if all of its texts are empty. */
const object: Codec = {
  show: (value, field) => showFields(...partsIn(field), (value ?? {}) as CheckFields),
  read: (typed, field) => {
    const values = typed as CheckFields;
    const [fields, shape] = partsIn(field);
    const isEmpty = Object.entries(fields).every(
      ([name, { input }]) => input === "choice" || String(values[name]).trim() === "",
    );
    return isEmpty ? null : withoutNulls(readFields(fields, shape, values));
  },
};

const steps: Codec = {
  show: (value, field) => rowsOf<CheckFields>(value ?? [{}]).map((step) => showFields(...partsIn(field), step)),
  read: (typed, field) => rowsOf<CheckFields>(typed).map((step) => withoutNulls(readFields(...partsIn(field), step))),
  tidy: (typed, { form }) =>
    rowsOf<CheckFields>(typed).map((step) => ({ ...step, ...tidyFields(form.parts ?? {}, step) })),
};

const codecOf = ({ input }: FieldForm): Codec =>
  input === "object" ? object : input === "steps" ? steps : codecs[input];

/** Value of an empty field. `null`: no value; `undefined`: a required value is missing. */
const usualOf = ({ form, schema }: SchemaField, values: CheckFields): unknown =>
  form.usual?.(values) ?? defaultOf(schema) ?? (isRequired(schema) ? undefined : null);

export function showFields(fields: Fields, shape: z.ZodRawShape, check: CheckFields): CheckValues {
  const shown = Object.entries(fields).map(([name, form]) => {
    const field = { form, schema: shape[name] };
    return [name, codecOf(form).show(check[name] ?? defaultOf(field.schema), field, check)];
  });
  return Object.fromEntries(shown);
}

export function readFields(fields: Fields, shape: z.ZodRawShape, values: CheckFields): CheckValues {
  const stored = (values["stored"] ?? {}) as CheckFields;
  const read = Object.entries(fields).map(([name, form]) => {
    const field = { form, schema: shape[name] };
    const around = { values, usual: usualOf(field, values), stored: stored[name] };
    return [name, codecOf(form).read(values[name], field, around)];
  });
  return Object.fromEntries(read);
}

/** Returns only the values that tidying changed. */
function tidyFields(fields: Fields, values: CheckFields): CheckValues {
  const tidied = Object.entries(fields).flatMap(([name, form]) => {
    const value = codecOf(form).tidy?.(values[name], { form, schema: undefined });
    return value === undefined || JSON.stringify(value) === JSON.stringify(values[name]) ? [] : [[name, value]];
  });
  return Object.fromEntries(tidied) as CheckValues;
}

export const emptyCheck = (type: CheckType): CheckValues => showFields(kindForms[type].fields, kindOf(type).fields, {});

/** Form values of a stored check. `stored` is the check itself, so that unchanged values can be sent back exactly. */
export const showCheck = (type: CheckType, check: CheckFields): CheckValues => ({
  ...showFields(kindForms[type].fields, kindOf(type).fields, check),
  stored: check,
});

export const readCheckForm = (type: CheckType, values: CheckValues): CheckDraft =>
  ({ type, ...readFields(kindForms[type].fields, kindOf(type).fields, values) }) as CheckDraft;

/** Returns values to set before validation: complete addresses, lists without empty rows. */
export const tidyCheck = (type: CheckType, values: CheckValues): CheckValues =>
  tidyFields(kindForms[type].fields, values);
