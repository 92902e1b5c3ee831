/** The parts of JSON Schema that `describeApi` writes. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  description?: string;
  examples?: unknown[];
} & Partial<Record<(typeof limits)[number], number>>;

export const limits = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
] as const;

type Media = Record<string, { schema: Schema }>;
export type Parameter = { name: string; in: string; required: boolean; schema: Schema };
export type Operation = {
  summary: string;
  description?: string;
  operationId: string;
  tags: string[];
  security: unknown[];
  "x-who": string;
  parameters: Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, { description: string; content: Media }>;
};

/** An OpenAPI document as far as the reference page reads it. */
export type Document = {
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** The name of a reference; null for an inline schema. */
export const referenced = ({ $ref }: Schema): string | null => $ref?.split("/").at(-1) ?? null;
