import { expect, test } from "vitest";
import { npmComponents, toSbom } from "./write.ts";

const koa = { name: "koa", version: "3.3.0", purl: "pkg:npm/koa@3.3.0", license: "MIT" };
const image = { name: "gateway", version: "0.1.0" };

test("the same contents make the same text, and others another serial number", () => {
  expect(toSbom(image, [koa])).toBe(toSbom({ ...image }, [{ ...koa }]));
  const serial = (text: string) => (JSON.parse(text) as { serialNumber: string }).serialNumber;
  expect(serial(toSbom(image, [koa]))).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(serial(toSbom(image, [koa]))).not.toBe(serial(toSbom(image, [{ ...koa, version: "3.3.1" }])));
});

test.each([
  ["MIT", { license: { id: "MIT" } }],
  ["(MIT OR CC0-1.0)", { expression: "(MIT OR CC0-1.0)" }],
  ["SEE LICENSE IN LICENSE.md", { license: { name: "SEE LICENSE IN LICENSE.md" } }],
])("a licence is told as what it is: %s", (license, told) => {
  const { components } = JSON.parse(toSbom(image, [{ ...koa, license }])) as { components: { licenses: unknown[] }[] };
  expect(components[0]?.licenses).toEqual([told]);
});

test("packages are told once, ours too, with the sum that the lock file has", () => {
  const inputs = [
    "services/auth/src/main.ts",
    "node_modules/koa/lib/application.js",
    "node_modules/koa/lib/context.js",
  ];
  const components = npmComponents({ inputs, packages: new Map() });
  expect(components.map(({ name }) => name)).toEqual(["@sonde/auth", "koa"]);
  expect(components[1]?.sha512).toMatch(/^[0-9a-f]{128}$/);
});

test("what the web app is built of is told, but not what builds it", () => {
  const names = npmComponents({ inputs: [], packages: new Map() }, ["web"]).map(({ name }) => name);
  expect(names).toContain("react-dom");
  expect(names).not.toContain("vite");
});
