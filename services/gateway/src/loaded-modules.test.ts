import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

// One `import` of node:http, in a package too, is enough to load it: 10 MiB in the process.
it("the gateway loads node:http without undici, which nothing here uses", async () => {
  const main = JSON.stringify(new URL("./main.ts", import.meta.url).href);
  const program = `await import(${main}); process.stdout.write(JSON.stringify(process.moduleLoadList))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain("NativeModule _http_server");
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
}, 60_000);
