import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "json-schema-faker";

type Content = Record<string, { schema: JsonSchema }>;
export type Parameter = { name: string; in: "path" | "query"; required: boolean; schema: JsonSchema };
type Response = { content?: Content };
type Described = {
  operationId: string;
  "x-who": string;
  "x-foreign"?: boolean;
  parameters: Parameter[];
  requestBody?: { content: Content };
  /** A redirect has no content. */
  responses: Record<string, Response | { $ref: string }>;
};
export type OpenApi = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Response> };
};

export type Operation = {
  id: string;
  method: string;
  path: string;
  who: string;
  /** Has the format of another program. */
  isForeign: boolean;
  parameters: Parameter[];
  body: JsonSchema | null;
  takes: ValidateFunction | null;
  /** Media type and validator of the body, by status. */
  answers: Map<number, { media: string; holds: ValidateFunction }>;
};

/** Reads a served OpenAPI 3.1 document and compiles every schema. @throws if one is not valid JSON Schema 2020-12 */
export function readOperations(document: OpenApi): Operation[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "sonde:api", components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: JsonSchema) => {
    // ajv has the document under another id.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"sonde:api#/');
    return getOrMake(compiled, text, () => ajv.compile(JSON.parse(text) as object));
  };
  const responseOf = (response: Response | { $ref: string }): Response =>
    "$ref" in response ? document.components.responses[response.$ref.slice(sharedResponse.length)]! : response;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const body = described.requestBody?.content["application/json"]?.schema ?? null;
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        who: described["x-who"],
        isForeign: described["x-foreign"] === true,
        parameters: described.parameters,
        body: body === null ? null : inlined(body, document.components.schemas),
        takes: body === null ? null : compile(body),
        answers: new Map(
          Object.entries(described.responses).flatMap(([status, response]) =>
            Object.entries(responseOf(response).content ?? {})
              .slice(0, 1)
              .map(([media, { schema }]) => [Number(status), { media, holds: compile(schema) }] as const),
          ),
        ),
      };
    }),
  );
}

const sharedResponse = "#/components/responses/";
const reference = "#/components/schemas/";
/** Inlines references: the value generator sees only the schema. */
const inlined = (schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (_key, part: { $ref?: string } | null) =>
    typeof part?.$ref === "string" ? inlined(schemas[part.$ref.slice(reference.length)]!, schemas) : part,
  ) as JsonSchema;

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
