import { referenced, type Schema } from "./document.ts";
import { type HtmlContent, html, type Html } from "@sonde/kit/http/html";
import type { ReferenceWords } from "./words.ts";

type Row = { name: string; schema: Schema; required: boolean; depth: number };
const deepest = 4;
/** Longer ones are left out as unreadable. */
const longestPattern = 50;
/** The pattern that all texts share is left out. */
const commonPattern = String.raw`^[^\u0000]`;

/** The fields of an object and of what it holds, one below the other; named objects are linked, not repeated. */
export function fieldList(schema: Schema, say: ReferenceWords): Html {
  return html`<ul class="fields">
    ${rowsOf(schema, 0).map((row) => field(row.name, row.schema, row.required, say, row.depth))}
  </ul>`;
}

/** One field or parameter: its name, what it takes, whether it must be there, what it means. */
export function field(
  name: string,
  declared: Schema,
  required: boolean,
  say: ReferenceWords,
  depth = 0,
  extra: HtmlContent = null,
): Html {
  const schema = withoutNull(declared);
  return html`<li class="depth-${depth}">
    <code class="name">${name}</code> <span class="type">${typeOf(declared, say)}</span>
    ${extra !== null && html`<span class="note">${extra}</span>`}
    ${required && html`<span class="required">${say.required}</span>`}
    ${limitsOf(schema, say).map((text) => html`<span class="note">${text}</span>`)}
    ${
      schema.enum !== undefined &&
      html`<span class="note">${say.oneOf} ${schema.enum.map((value) => html`<code>${String(value)}</code> `)}</span>`
    }
    ${
      schema.pattern !== undefined &&
      schema.pattern.length <= longestPattern &&
      !schema.pattern.startsWith(commonPattern) &&
      schema.format === undefined &&
      html`<span class="note"><code>${schema.pattern}</code></span>`
    }
    ${
      schema.default !== undefined &&
      html`<span class="note">${say.default} <code>${JSON.stringify(schema.default)}</code></span>`
    }
    ${schema.description !== undefined && html`<span class="description" lang="en">${schema.description}</span>`}
  </li>`;
}

function rowsOf(schema: Schema, depth: number, prefix = ""): Row[] {
  if (depth > deepest) return [];
  if (schema.type === "array" && schema.items !== undefined) return rowsOf(schema.items, depth, `${prefix}[].`);
  if (schema.oneOf?.every(({ properties }) => properties?.["type"]?.const !== undefined)) {
    return rowsOfKinds(schema.oneOf, depth);
  }
  const union = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (union !== undefined) return union.flatMap((part) => rowsOf(part, depth, prefix));
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => [
    {
      name: prefix.replace(/^\[\]\.$/, "") + name,
      schema: part,
      required: schema.required?.includes(name) === true,
      depth,
    },
    ...rowsOf(part, depth + 1),
  ]);
}

/** What all kinds have in common once; then each kind's `type`, with its own fields below it. */
function rowsOfKinds(kinds: readonly Schema[], depth: number): Row[] {
  const [first = {}] = kinds;
  const declared = ({ properties, required }: Schema, name: string) =>
    JSON.stringify([properties?.[name], required?.includes(name)]);
  const isShared = (name: string) => kinds.every((kind) => declared(kind, name) === declared(first, name));
  const rowsWhere = (kind: Schema, at: number, wanted: (name: string) => boolean) => {
    const properties = Object.entries(kind.properties ?? {}).filter(([name]) => wanted(name));
    return rowsOf({ ...kind, properties: Object.fromEntries(properties) }, at);
  };
  return [
    ...rowsWhere(first, depth, isShared),
    ...kinds.flatMap((kind) => [
      ...rowsWhere(kind, depth, (name) => name === "type"),
      ...rowsWhere(kind, depth + 1, (name) => name !== "type" && !isShared(name)),
    ]),
  ];
}

/** The other part of what may also be null. */
function withoutNull(schema: Schema): Schema {
  const parts = schema.anyOf?.filter(({ type }) => type !== "null");
  return parts?.length === 1 && parts.length < schema.anyOf!.length
    ? { ...schema, anyOf: undefined, ...parts[0] }
    : schema;
}

/** A type in words: `integer`, `string, date-time`, `list of Monitor`. */
export function typeOf(schema: Schema, say: ReferenceWords): HtmlContent {
  const to = referenced(schema);
  if (to !== null) return html`<a href="#object-${to}">${to}</a>`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return html`${say.listOf} ${typeOf(schema.items ?? {}, say)}`;
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined && typeof schema.type === "string") {
    const formats = union.flatMap(({ format }) => format ?? []).join(` ${say.anyOf} `);
    return formats === "" ? schema.type : `${schema.type}, ${formats}`;
  }
  if (union !== undefined) {
    return union.map((part, at) => html`${at > 0 && ` ${say.anyOf} `}${typeOf(part, say)}`);
  }
  const type = [schema.type ?? "any"].flat().join(` ${say.anyOf} `);
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

function limitsOf(schema: Schema, say: ReferenceWords): string[] {
  const { minLength, maxLength, minItems, maxItems } = schema;
  return [
    range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum, schema.exclusiveMinimum === undefined),
    range(minLength, maxLength) && `${range(minLength, maxLength)} ${say.characters}`,
    range(minItems, maxItems) && `${range(minItems, maxItems)} ${say.entries}`,
    ...(schema.anyOf ?? []).flatMap((part) => limitsOf(part, say)),
  ].filter((text) => text !== "");
}

/** `1–100`, `≥ 1`, `≤ 200`; empty for the bounds that every number has. */
function range(from: number | undefined, to: number | undefined, inclusive = true): string {
  const low = from === undefined || from <= Number.MIN_SAFE_INTEGER ? undefined : from;
  const high = to === undefined || to >= Number.MAX_SAFE_INTEGER ? undefined : to;
  if (low !== undefined && high !== undefined && inclusive) return `${low}–${high}`;
  const parts = [low !== undefined && `${inclusive ? "≥" : ">"} ${low}`, high !== undefined && `≤ ${high}`];
  return parts.filter((part) => part !== false).join(", ");
}
