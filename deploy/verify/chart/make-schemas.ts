import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { examples, type Resource } from "./golden.ts";
import { schemaFolder, schemaName } from "./schemas.ts";

// node deploy/verify/chart/make-schemas.ts OPENAPI.json CRD.yaml…
//
// Writes the JSON schemas that validate the chart's resources, for the kinds in its examples. Needs helm. OPENAPI.json is
// the output of `kubectl get --raw /openapi/v2`. Each CRD.yaml is a CustomResourceDefinition of an operator, from its Go
// module (`go mod download -json sigs.k8s.io/gateway-api@…`).

type Schema = { [key: string]: unknown };

// Without patterns, because not every validator supports Go's syntax.
const keywords = ["type", "required", "enum", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"];

const [openapi, ...crds] = process.argv.slice(2);
if (openapi === undefined) throw new Error("usage: make-schemas.ts OPENAPI.json CRD.yaml…");

const used = new Map<string, Resource>();
for (const resource of [...(await examples()).values()].flat()) used.set(schemaName(resource), resource);

await rm(schemaFolder, { recursive: true, force: true });
await mkdir(schemaFolder, { recursive: true });
const available = { ...(await fromOpenApi(openapi)), ...(await fromCrds(crds)) };
for (const name of used.keys()) {
  const schema = available[name];
  if (schema === undefined) console.warn(`no schema for ${name}`);
  else await writeFile(join(schemaFolder, name), `${JSON.stringify(schema)}\n`);
}

async function fromOpenApi(file: string): Promise<Record<string, Schema>> {
  const { definitions } = JSON.parse(await readFile(file, "utf8")) as { definitions: Record<string, Schema> };
  const schemas: Record<string, Schema> = {};
  for (const schema of Object.values(definitions)) {
    const kinds = (schema["x-kubernetes-group-version-kind"] ?? []) as Record<"group" | "version" | "kind", string>[];
    const [gvk] = kinds;
    if (gvk === undefined || kinds.length > 1) continue;
    const name = schemaName({ apiVersion: gvk.group ? `${gvk.group}/${gvk.version}` : gvk.version, kind: gvk.kind });
    if (!used.has(name)) continue;
    const needed: Record<string, Schema> = {};
    schemas[name] = { ...(convert(schema, collect) as Schema), definitions: needed };

    function collect(reference: string): string {
      const short = reference.split("/").at(-1)!;
      if (!(short in needed)) {
        needed[short] = {}; // Some definitions are recursive.
        needed[short] = (special(short) ?? convert(definitions[short]!, collect)) as Schema;
      }
      return `#/definitions/${short}`;
    }
  }
  return schemas;
}

async function fromCrds(files: readonly string[]): Promise<Record<string, Schema>> {
  const schemas: Record<string, Schema> = {};
  for (const file of files) {
    const { spec } = parse(await readFile(file, "utf8")) as {
      spec: { group: string; names: { kind: string }; versions: { name: string; schema: Record<string, Schema> }[] };
    };
    for (const { name: version, schema } of spec.versions) {
      const name = schemaName({ apiVersion: `${spec.group}/${version}`, kind: spec.names.kind });
      const converted = convert(schema["openAPIV3Schema"]!, (reference) => reference) as { properties: Schema };
      converted.properties["metadata"] = { type: "object" };
      schemas[name] = converted;
    }
  }
  return schemas;
}

/** Returns schemas of types for which the API server accepts more than its OpenAPI document describes. */
function special(definition: string): Schema | null {
  if (definition.endsWith(".IntOrString")) return { type: ["string", "integer"] };
  if (definition.endsWith(".Quantity")) return { type: ["string", "number"] };
  return null;
}

/** Converts an OpenAPI schema to a JSON schema without descriptions that rejects unknown fields. */
function convert(value: unknown, resolve: (reference: string) => string): unknown {
  const schema = value as Schema;
  if (typeof schema["$ref"] === "string") return { $ref: resolve(schema["$ref"]) };
  if (schema["x-kubernetes-int-or-string"] === true) return { type: ["string", "integer"] };
  const result: Schema = Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)));
  const properties = schema["properties"] as Record<string, unknown> | undefined;
  if (schema["items"] !== undefined) result["items"] = convert(schema["items"], resolve);
  if (properties !== undefined) {
    result["properties"] = Object.fromEntries(
      Object.entries(properties).map(([key, property]) => [key, convert(property, resolve)]),
    );
  }
  const others = schema["additionalProperties"];
  if (typeof others === "object") result["additionalProperties"] = convert(others, resolve);
  else if (properties !== undefined && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
    result["additionalProperties"] = false;
  }
  return result;
}
