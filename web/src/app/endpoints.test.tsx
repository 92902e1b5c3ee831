import { expect, it } from "vitest";
import { api } from "./api.ts";

const texts = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.*"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const modules = import.meta.glob(["../**/*.{ts,tsx}", "!../**/*.test.*"]);

it("all endpoints have different names", async () => {
  const paths = Object.keys(texts).filter((path) => /\.injectEndpoints\(\{/.test(texts[path]!));
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) await modules[path]!();
});

it("a second endpoint of the same name is an error", () => {
  const inject = () =>
    api.injectEndpoints({ endpoints: (build) => ({ twice: build.query<null, void>({ query: () => "/" }) }) });
  inject();
  expect(inject).toThrow("twice");
});
