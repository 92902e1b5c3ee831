import * as z from "zod";
import type { FieldFault } from "../../reasons/issues.ts";

/**
 * A secret in a configuration. Stored and new secrets are matched by `name` in order, then by `kin`. `audience`: its
 * recipient, if it differs from that of the whole check.
 */
export type SecretText = { path: readonly (string | number)[]; name: string; kin?: string; audience?: string };

/** A client certificate and its key in PEM, with the path of the object that contains them. */
export type KeyPair = { path: string; cert: string; key: string };

/** A literal in a configuration and its dotted path. */
export type LocatedLiteral = { path: string; value: string };

/**
 * A kind of check: everything the layers between the API and the probe need. `fields` are user settings: `.default()`
 * for fields that may be omitted but always have a value, `.optional()` for those that may have none. They transform
 * nothing (`.overwrite()` normalises), so that one schema describes input, storage and responses.
 */
export type CheckKind<Type extends string, Fields extends z.ZodRawShape, Passive extends boolean = boolean> = {
  type: Type;
  fields: Fields;
  /** True if the target calls Sonde instead of being checked: no interval, timeout, retries or locations. */
  passive: Passive;
  /** Minutes: the minimum interval, if the kind has its own, and the default. */
  interval: { min?: number; usual: number };
  /** Additional fields of responses. */
  facts: z.ZodRawShape;
  /** Errors across fields, each reported at one of them. */
  faults(check: Config<Fields>): FieldFault[];
  /** Minimum duration of the check in milliseconds, and the field that determines it. */
  needsMs(check: Config<Fields>): { path: string; ms: number } | undefined;
  /** Fields whose stored form differs from the input, because a masked secret is not a valid value. */
  answers: Partial<Record<keyof Fields, z.ZodType>>;
  /** Target shown in lists: `tcp://db:5432`. */
  target(check: Config<Fields>): string;
  /** Hosts to dial or query. The egress guard must allow every literal address among them. */
  hosts(check: Config<Fields>): LocatedLiteral[];
  /** Regular expressions, which `monitors` compiles before saving. */
  patterns(check: Config<Fields>): LocatedLiteral[];
  /** Client certificates, which `monitors` checks against their keys before saving. */
  keyPairs(check: Config<Fields>): KeyPair[];
  /** Texts sealed in storage and masked in responses. */
  secrets(check: Config<Fields>): SecretText[];
  /** Recipient of the secrets; if it changes, they must be entered again. */
  audience(check: Config<Fields>): string;
  /** Fields that may be large; compact lists omit them. */
  heavy: readonly (keyof Fields & string)[];
};

/** Values of a kind's fields, including defaults. */
export type Config<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

type Hooks =
  | "passive"
  | "interval"
  | "facts"
  | "faults"
  | "needsMs"
  | "answers"
  | "hosts"
  | "patterns"
  | "keyPairs"
  | "secrets"
  | "audience"
  | "heavy";

/** Inverts the result; available for every probed kind. False if absent. */
const invert = z
  .boolean()
  .optional()
  .meta({ description: "Inverts the result: UP while the check fails, DOWN when it succeeds. False if absent." });
type Invertible<Fields extends z.ZodRawShape, Passive> = Passive extends true
  ? Fields
  : Fields & { invert: typeof invert };

/** Declares a kind; omitted members do not apply to it. */
export function kind<Type extends string, Fields extends z.ZodRawShape, Passive extends boolean = false>(
  declared: Omit<CheckKind<Type, Fields>, Hooks> & Partial<Pick<CheckKind<Type, Fields, Passive>, Hooks>>,
): CheckKind<Type, Invertible<Fields, Passive>, Passive> {
  const none = () => [];
  const lists = { faults: none, hosts: none, patterns: none, keyPairs: none, secrets: none };
  const interval = { usual: 1 };
  const hooks = {
    passive: false,
    interval,
    facts: {},
    answers: {},
    needsMs: () => undefined,
    ...lists,
    audience: () => "",
    heavy: [],
  };
  const fields = declared.passive === true ? declared.fields : { ...declared.fields, invert };
  return { ...hooks, ...declared, fields } as unknown as CheckKind<Type, Invertible<Fields, Passive>, Passive>;
}

const isOptional = (schema: z.core.$ZodType): schema is z.ZodOptional => schema instanceof z.ZodOptional;
const isDefault = (schema: z.core.$ZodType): schema is z.ZodDefault => schema instanceof z.ZodDefault;

/**
 * Removes duplicates from the schemas that several kinds have for one field name, keeping the clearable one if any can
 * be cleared.
 */
export function distinctSchemas(schemas: readonly z.core.$ZodType[]): z.core.$ZodType[] {
  const byValue = new Map<z.core.$ZodType, z.core.$ZodType>();
  for (const schema of schemas) {
    const value = isOptional(schema) || isDefault(schema) ? schema.unwrap() : schema;
    if (isOptional(schema) || !byValue.has(value)) byValue.set(value, schema);
  }
  return [...byValue.values()];
}

/** Fields of a partial input; absent fields stay unchanged. */
export function partialFields(fields: z.ZodRawShape): z.ZodRawShape {
  return mapFields(fields, (schema) =>
    isOptional(schema) || schema instanceof z.ZodNullable
      ? schema
      : z.optional(isDefault(schema) ? schema.unwrap() : schema),
  );
}

/** The same fields; `null` removes an optional value. */
export function clearableFields(fields: z.ZodRawShape): z.ZodRawShape {
  return mapFields(fields, (schema) => (isOptional(schema) ? schema.nullable() : schema));
}

/** The fields without defaults: omitted ones stay undefined, and `null` clears an optional value. */
export function fieldsWithoutDefaults(fields: z.ZodRawShape): z.ZodRawShape {
  return mapFields(fields, (schema) => {
    if (isDefault(schema) || schema instanceof z.ZodPrefault) return z.optional(schema.unwrap());
    return isOptional(schema) && !(schema.unwrap() instanceof z.ZodNullable)
      ? z.optional(z.nullable(schema.unwrap()))
      : schema;
  });
}

/** Fields of a response; those with a default are always present. */
export function answerFields({
  fields,
  answers,
}: Pick<CheckKind<string, z.ZodRawShape>, "fields" | "answers">): z.ZodRawShape {
  const plain = mapFields(fields, (schema) => (isDefault(schema) ? schema.unwrap() : schema));
  return { ...plain, ...answers } as z.ZodRawShape;
}

export const isRequired = (schema: unknown): boolean =>
  !(schema instanceof z.ZodOptional) && !(schema instanceof z.ZodDefault);

/** Returns the options of an enum field. */
export function choicesOf(schema: unknown): string[] {
  const value = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return value instanceof z.ZodEnum ? value.options.map(String) : [];
}

/** Returns the fields of an object field, or of a list of objects. */
export function partsOf(schema: unknown): z.ZodRawShape {
  const value = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (value instanceof z.ZodNullable) return partsOf(value.unwrap());
  const one = value instanceof z.ZodArray ? value.element : value;
  return one instanceof z.ZodObject ? one.shape : {};
}

/** Returns the default of a field, or undefined. */
export const defaultOf = (schema: unknown): unknown =>
  schema instanceof z.ZodDefault ? schema.parse(undefined) : undefined;

/** Returns the defaults of optional fields. */
export function defaultsOf(fields: z.ZodRawShape): Record<string, unknown> {
  const values = Object.entries(fields).map(([name, schema]) => [name, defaultOf(schema)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

export function mapFields(fields: z.ZodRawShape, change: (schema: z.core.$ZodType) => z.core.$ZodType): z.ZodRawShape {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema)]));
}
