import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { Extraction } from "@sonde/proto/http/monitors/checks/flow";
import { choicesOf, defaultOf, isRequired } from "@sonde/proto/http/monitors/checks/kind";
import type { FieldForm, CheckFields, Input } from "../../../entities/kinds/kind-form.ts";
import { ownTimeZone } from "../../../lib/format.ts";
import { parseDuration, parseTypedNumber, withScheme } from "../../../lib/typed.ts";
import type { KeyValue } from "../../../ui/key-value-editor.tsx";

export type SchemaField = { form: FieldForm; schema: unknown };

/** The other typed values, the value of an empty field, and the stored value. */
type Around = { values: CheckFields; usual: unknown; stored: unknown };

/** Converts between a value and its form fields. */
export type Codec = {
  show(value: unknown, field: SchemaField, check: CheckFields): unknown;
  read(typed: unknown, field: SchemaField, around: Around): unknown;
  /** Returns a cleaned-up value to set before validation. */
  tidy?(typed: unknown, field: SchemaField): unknown;
};

const asText = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");
export const rowsOf = <Row>(value: unknown) => (Array.isArray(value) ? (value as Row[]) : []);

const text: Codec = {
  show: asText,
  read: (typed, _field, { usual = "" }) => asText(typed).trim() || usual,
};
/** Keeps whitespace. Only an empty text is no value. */
const verbatim: Codec = {
  show: asText,
  read: (typed, { schema }) => (typed === "" && !isRequired(schema) && defaultOf(schema) === undefined ? null : typed),
};

/** Line endings as in a textarea. */
const withoutReturns = (value: string) => value.replaceAll(/\r\n?/g, "\n");
const crlf: Codec = {
  show: (value) => withoutReturns(asText(value)),
  read: (typed, _field, { stored }) => {
    if (typed === "") return null;
    // Returns an unchanged text exactly as stored.
    if (typeof stored === "string" && typed === withoutReturns(stored)) return stored;
    return withoutReturns(asText(typed)).replaceAll("\n", "\r\n");
  },
};

const webAddress: Codec = {
  show: asText,
  read: (typed) => withScheme(asText(typed)),
  tidy: (typed) => withScheme(asText(typed)),
};

const list: Codec = {
  show: (value) => rowsOf<string>(value).join("\n"),
  read: (typed) => {
    const lines = asText(typed)
      .split("\n")
      .filter((line) => line.trim() !== "");
    return lines.length === 0 ? null : lines;
  },
};

/** A missing or unreadable number becomes NaN, which the schema reports. */
const number: Codec = {
  show: asText,
  read: (typed, _field, { usual = NaN }) => parseTypedNumber(asText(typed)) ?? usual,
};

function writeSeconds(seconds: number): string {
  const units = { d: 86_400, h: 3600, m: 60 };
  const [name, size] = Object.entries(units).find(([, one]) => seconds > 0 && seconds % one === 0) ?? ["s", 1];
  return `${seconds / size}${name}`;
}
const duration: Codec = {
  show: (value) => (typeof value === "number" ? writeSeconds(value) : ""),
  read: (typed, _field, { usual }) =>
    asText(typed).trim() === "" ? usual : (parseDuration(asText(typed), "s") ?? NaN),
};

/** Without a default, off is no value. */
const toggle: Codec = {
  show: (value) => value === true,
  read: (typed, { schema }) => typed === true || (defaultOf(schema) === undefined ? null : false),
};

const choice: Codec = {
  show: (value, { form, schema }) => value ?? (form.options?.[""] === undefined ? choicesOf(schema)[0] : ""),
  read: (typed) => (typed === "" ? null : typed),
};

const status: Codec = {
  show: asText,
  read: (typed, _field, { usual }) => {
    const trimmed = asText(typed).trim();
    if (trimmed === "") return usual;
    return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
  },
};

const headers: Codec = {
  show: (value) => rowsOf<KeyValue>(value).map(({ name, value: given }) => ({ name, value: given })),
  read: (typed) => typed,
  tidy: (typed) => rowsOf<KeyValue>(typed).filter(({ name, value }) => name.trim() !== "" || value.trim() !== ""),
};

export type AssertionValues = Pick<Assertion, "source" | "op"> & {
  property: string;
  value: string;
  /** True if the stored value was a number. It stays one while the text can be read as one. */
  isNumber?: boolean;
};
const assertions: Codec = {
  show: (value) => rowsOf<Assertion>(value).map(showAssertion),
  read: (typed) => rowsOf<AssertionValues>(typed).map(readAssertion),
};

function showAssertion({ source, property = "", op, value = "" }: Assertion): AssertionValues {
  return { source, op, property, value: String(value), ...(typeof value === "number" && { isNumber: true }) };
}

function readAssertion({ source, property, op, value, ...stored }: AssertionValues): Assertion {
  const isNumber = stored.isNumber || op === "lessThan" || op === "greaterThan" || source === "latency";
  const typed = value.trim();
  return {
    source,
    op,
    ...(source === "header" || source === "json" ? { property: property.trim() } : {}),
    ...(op === "exists" || typed === ""
      ? {}
      : { value: isNumber && Number.isFinite(Number(typed)) ? Number(typed) : value }),
  };
}

export type ExtractionValues = Pick<Extraction, "name" | "source"> & { property: string };
const extractions: Codec = {
  show: (value) => rowsOf<Extraction>(value).map(({ property = "", ...rest }) => ({ ...rest, property })),
  read: (typed) =>
    rowsOf<ExtractionValues>(typed).map(({ property, ...rest }) =>
      rest.source === "status" ? rest : { ...rest, property: property.trim() },
    ),
};

const everyUnits = { m: 1, h: 60, d: 1440 } as const;
export type ScheduleValues = { by: "every" | "cron"; amount: string; unit: keyof typeof everyUnits };
/** Minutes in the largest unit that divides them, or `cron`. */
const schedule: Codec = {
  show: (value, _field, { cron }): ScheduleValues => {
    const by = cron === undefined ? "every" : "cron";
    if (typeof value !== "number") return { by, amount: "1", unit: "d" };
    const unit = (["d", "h"] as const).find((name) => value % everyUnits[name] === 0) ?? "m";
    return { by, amount: String(value / everyUnits[unit]), unit };
  },
  read: (typed) => {
    const { by, amount, unit } = typed as ScheduleValues;
    return by === "cron" ? null : (parseTypedNumber(amount) ?? NaN) * everyUnits[unit];
  },
};
const ifCron: Codec["read"] = (typed, _field, { values }) =>
  (values["every"] as ScheduleValues).by === "cron" ? typed : null;
const cron: Codec = { show: asText, read: ifCron };
const timeZone: Codec = {
  show: (value, _field, check) => value ?? (check["cron"] ? "UTC" : ownTimeZone()),
  read: ifCron,
};

export type MembersValues = { by: "members" | "tag"; ids: number[] };
const members: Codec = {
  show: (value, _field, { tag }): MembersValues => ({ by: tag === undefined ? "members" : "tag", ids: rowsOf(value) }),
  read: (typed) => ((typed as MembersValues).by === "tag" ? [] : (typed as MembersValues).ids),
};
const memberTag: Codec = {
  show: asText,
  read: (typed, _field, { values }) =>
    (values["members"] as MembersValues).by === "tag" ? asText(typed).trim() || null : null,
};

export type NeedValues = { by: "all" | "any" | "number"; count: string };
const need: Codec = {
  show: (value): NeedValues =>
    typeof value === "number" ? { by: "number", count: String(value) } : { by: value as "all" | "any", count: "2" },
  read: (typed) => {
    const { by, count } = typed as NeedValues;
    return by === "number" ? (parseTypedNumber(count) ?? NaN) : by;
  },
};

export const codecs: Record<Exclude<Input, "object" | "steps">, Codec> = {
  text,
  code: text,
  url: text,
  webAddress,
  prose: verbatim,
  verbatim,
  secret: verbatim,
  crlf,
  list,
  number,
  duration,
  switch: toggle,
  choice,
  status,
  headers,
  assertions,
  extractions,
  schedule,
  cron,
  timeZone,
  members,
  memberTag,
  need,
};
