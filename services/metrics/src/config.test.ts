import { afterEach, expect, it, vi } from "vitest";

const own = process.arch;
afterEach(() => void Object.defineProperty(process, "arch", { value: own }));

async function configOn(arch: string) {
  Object.defineProperty(process, "arch", { value: arch });
  vi.resetModules();
  const { readConfig } = await import("./config.ts");
  return readConfig;
}

it("requires a ClickHouse server if there is no embedded engine, and reports it with all other errors", async () => {
  const readConfig = await configOn("arm64");
  expect(() => readConfig({ LOG_LEVEL: "loud" })).toThrow(
    /^ {2}LOG_LEVEL: .+\n {2}CLICKHOUSE_URL: is missing, and the embedded ClickHouse runs on x64 processors only\. .+ deploy\/compose\/arm64\.yaml /m,
  );
  const CLICKHOUSE_URL = "http://sonde:secret@clickhouse:8123/sonde";
  expect(readConfig({ CLICKHOUSE_URL })).toMatchObject({ CLICKHOUSE_URL });
  expect(() => readConfig({ CLICKHOUSE_URL: "clickhouse" })).toThrow("CLICKHOUSE_URL: must be an http");
});

it("requires none if there is an embedded engine", async () => {
  expect((await configOn("x64"))({})).not.toHaveProperty("CLICKHOUSE_URL");
});
