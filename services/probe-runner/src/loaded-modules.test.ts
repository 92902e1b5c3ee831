import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Loads the runner in a process of its own, starts nothing, and tells which of Node's own modules came along. */
async function loadedModules(): Promise<string[]> {
  const main = JSON.stringify(new URL("./main.ts", import.meta.url).href);
  const program = `await import(${main}); process.stdout.write(JSON.stringify(process.moduleLoadList))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return JSON.parse(stdout) as string[];
}

// `import { type Server } from "node:http"` is enough to load it: 12 MiB in every process.
it("loads node:http without undici, which nothing here uses", async () => {
  const loaded = await loadedModules();
  expect(loaded).toContain("NativeModule _http_client");
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
}, 60_000);
