import { pageForm } from "@sonde/proto/http/status/config";
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sources = globSync("**/*.ts", { cwd: import.meta.dirname })
  .filter((path) => !/test|testing/.test(path))
  .map((path) => readFileSync(`${import.meta.dirname}/${path}`, "utf8"));

test.each(Object.keys(pageForm))("the page setting %s is used", (name) => {
  expect(sources.some((source) => new RegExp(`\\.${name}\\b`).test(source))).toBe(true);
});
