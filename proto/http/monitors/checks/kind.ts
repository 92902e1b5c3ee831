import * as z from "zod";
import type { FieldFault } from "../../reasons/issues.ts";

/**
 * A text of a configuration that is a secret. Secrets of one `name` match each other, in their order, and then those of
 * one `kin`. `audience`: its recipient, where that is not the one of the whole.
 */
export type SecretText = { path: readonly (string | number)[]; name: string; kin?: string; audience?: string };

/** A client certificate and its key in PEM, and the path of the object that has them. */
export type KeyPair = { path: string; cert: string; key: string };

/** A literal of a configuration and its path, dotted. */
export type LocatedLiteral = { path: string; value: string };

/**
 * One kind of check, all that the layers between the API and the probe know of it. `fields` are those that a person sets:
 * `.default()` where one may be left out and then has a value, `.optional()` where it may have none. They transform nothing
 * (`.overwrite()` normalises), so that one schema describes what is sent, kept and answered.
 */
export type CheckKind<Type extends string, Fields extends z.ZodRawShape, Passive extends boolean = boolean> = {
  type: Type;
  fields: Fields;
  /** No runner checks it, but what it watches calls Sonde: it has no interval, timeout, retries or locations. */
  passive: Passive;
  /** Minutes: the least that the interval may be, where the kind has one of its own, and what it is if none is given. */
  interval: { min?: number; usual: number };
  /** What its answers have besides. */
  facts: z.ZodRawShape;
  /** What is wrong with fields together, each fault at one of them. */
  faults(check: Config<Fields>): FieldFault[];
  /** How long the check takes in any case, in milliseconds, and the field that decides it. */
  needsMs(check: Config<Fields>): { path: string; ms: number } | undefined;
  /** Fields whose stored form differs from the input: a masked secret is not a valid value. */
  answers: Partial<Record<keyof Fields, z.ZodType>>;
  /** What lists show: `tcp://db:5432`. */
  target(check: Config<Fields>): string;
  /** What is dialled or asked: no literal address among them may be one that the egress guard refuses. */
  hosts(check: Config<Fields>): LocatedLiteral[];
  /** Regular expressions, which `monitors` compiles before they are kept. */
  patterns(check: Config<Fields>): LocatedLiteral[];
  /** Client certificates, which `monitors` reads together with their keys before they are kept. */
  keyPairs(check: Config<Fields>): KeyPair[];
  /** Texts that are sealed where they are kept and masked where they are shown. */
  secrets(check: Config<Fields>): SecretText[];
  /** The recipient of the secrets. When it changes they must be entered again. */
  audience(check: Config<Fields>): string;
  /** Fields that may be large; a compact list leaves them out. */
  heavy: readonly (keyof Fields & string)[];
};

/** What a kind's fields come to, defaults included. */
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

/** Upside down, of every kind that is probed; absent is false. */
const invert = z
  .boolean()
  .optional()
  .meta({ description: "Inverts the result: UP while the check fails, DOWN when it succeeds. False if absent." });
type Invertible<Fields extends z.ZodRawShape, Passive> = Passive extends true
  ? Fields
  : Fields & { invert: typeof invert };

/** Declares a kind; what is left out does not concern it. */
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

/** Of the schemas that several kinds have under one name: one for each schema of the value, that which may be cleared where any may. */
export function distinctSchemas(schemas: readonly z.core.$ZodType[]): z.core.$ZodType[] {
  const byValue = new Map<z.core.$ZodType, z.core.$ZodType>();
  for (const schema of schemas) {
    const value = isOptional(schema) || isDefault(schema) ? schema.unwrap() : schema;
    if (isOptional(schema) || !byValue.has(value)) byValue.set(value, schema);
  }
  return [...byValue.values()];
}

/** The fields of a partial input: what is absent stays as it is. */
export function partialFields(fields: z.ZodRawShape): z.ZodRawShape {
  return mapFields(fields, (schema) =>
    isOptional(schema) || schema instanceof z.ZodNullable
      ? schema
      : z.optional(isDefault(schema) ? schema.unwrap() : schema),
  );
}

/** The same fields, where null removes an optional value. */
export function clearableFields(fields: z.ZodRawShape): z.ZodRawShape {
  return mapFields(fields, (schema) => (isOptional(schema) ? schema.nullable() : schema));
}

/** The fields without their defaults: what is left out stays open, and null clears an optional value. */
export function fieldsWithoutDefaults(fields: z.ZodRawShape): z.ZodRawShape {
  return mapFields(fields, (schema) => {
    if (isDefault(schema) || schema instanceof z.ZodPrefault) return z.optional(schema.unwrap());
    return isOptional(schema) && !(schema.unwrap() instanceof z.ZodNullable)
      ? z.optional(z.nullable(schema.unwrap()))
      : schema;
  });
}

/** The fields of an answer: what has a default is always there. */
export function answerFields({
  fields,
  answers,
}: Pick<CheckKind<string, z.ZodRawShape>, "fields" | "answers">): z.ZodRawShape {
  const plain = mapFields(fields, (schema) => (isDefault(schema) ? schema.unwrap() : schema));
  return { ...plain, ...answers } as z.ZodRawShape;
}

/** Whether a field has neither a default nor may be left out. */
export const isRequired = (schema: unknown): boolean =>
  !(schema instanceof z.ZodOptional) && !(schema instanceof z.ZodDefault);

/** The values of a field that is a choice. */
export function choicesOf(schema: unknown): string[] {
  const value = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return value instanceof z.ZodEnum ? value.options.map(String) : [];
}

/** The fields of a field that is an object, or a list of objects. */
export function partsOf(schema: unknown): z.ZodRawShape {
  const value = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const one = value instanceof z.ZodArray ? value.element : value;
  return one instanceof z.ZodObject ? one.shape : {};
}

/** The default of a field; undefined if it has none. */
export const defaultOf = (schema: unknown): unknown =>
  schema instanceof z.ZodDefault ? schema.parse(undefined) : undefined;

/** What each field that may be left out has then. */
export function defaultsOf(fields: z.ZodRawShape): Record<string, unknown> {
  const values = Object.entries(fields).map(([name, schema]) => [name, defaultOf(schema)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

export function mapFields(fields: z.ZodRawShape, change: (schema: z.core.$ZodType) => z.core.$ZodType): z.ZodRawShape {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema)]));
}
