import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "./routes/routes.ts";
import { startTestApp, type TestApp } from "./testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

type Operation = {
  security: unknown[];
  parameters: { name: string; in: string }[];
  responses: Record<string, unknown>;
  requestBody?: unknown;
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

test("the document is OpenAPI 3.1 by the standard's own schema", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(body));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every reference in it leads somewhere", async () => {
  const { body, text } = await app.ask("GET", "/api/openapi.json");
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    const found = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], body);
    expect(found, reference).toBeTypeOf("object");
  }
});

test("it describes every route, with its ids, its body and who may use it", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const { paths } = body as unknown as Document;
  for (const route of routes) {
    const operation = paths[route.path.replace(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()];
    expect(operation, route.path).toBeDefined();
    expect(operation!.security).toEqual(route.who === "anyone" ? [] : [{ session: [] }]);
    expect(operation!.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(
      Object.keys(route.params),
    );
    expect(operation!.requestBody !== undefined).toBe(route.body !== null);
    expect(Object.keys(operation!.responses)).toContain(String(route.status));
  }
  expect(Object.values(paths).flatMap((path) => Object.keys(path)).length).toBe(routes.length);
});
