import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "json-schema-faker";

type Content = Record<string, { schema: JsonSchema }>;
export type Parameter = { name: string; in: "path" | "query"; required: boolean; schema: JsonSchema };
type Described = {
  operationId: string;
  "x-who": string;
  parameters: Parameter[];
  requestBody?: { content: Content };
  /** Without content: one that leads elsewhere. */
  responses: Record<string, { content?: Content }>;
};
type OpenApi = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonSchema> };
};

/** An operation as the fuzz sees it: what it takes, and a judge of each answer that it documents. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  who: string;
  parameters: Parameter[];
  /** Null where it takes none. */
  body: JsonSchema | null;
  /** Whether a body is one that the document allows. */
  takes: ValidateFunction | null;
  /** By status: its media type, and what holds of its body. */
  answers: Map<number, { media: string; holds: ValidateFunction }>;
};

/** Reads a served OpenAPI 3.1 document. Every schema is compiled: one that is no JSON Schema 2020-12 throws. */
export function readOperations(document: OpenApi): Operation[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "sonde:api", components: document.components });
  const compile = (schema: JsonSchema) => ajv.compile(absolute(schema) as object);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const body = described.requestBody?.content["application/json"]?.schema ?? null;
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        who: described["x-who"],
        parameters: described.parameters,
        body: body === null ? null : inlined(body, document.components.schemas),
        takes: body === null ? null : compile(body),
        answers: new Map(
          Object.entries(described.responses).flatMap(([status, { content = {} }]) =>
            Object.entries(content)
              .slice(0, 1)
              .map(([media, { schema }]) => [Number(status), { media, holds: compile(schema) }] as const),
          ),
        ),
      };
    }),
  );
}

const reference = "#/components/schemas/";
/** A schema with what it refers to in its place: what makes values of it sees no more than the schema. */
const inlined = (schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (_key, part: { $ref?: string } | null) =>
    typeof part?.$ref === "string" ? inlined(schemas[part.$ref.slice(reference.length)]!, schemas) : part,
  ) as JsonSchema;

/** References point into the document, which is known under a name of its own. */
const absolute = (schema: JsonSchema): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"sonde:api#/'));
