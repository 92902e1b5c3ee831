import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a service that cannot start prints the reason in one line, without a stack", async () => {
  const start = (throws: string) => `
    import { runMain } from ${JSON.stringify(join(import.meta.dirname, "lifecycle.ts"))};
    import { ConfigError } from ${JSON.stringify(join(import.meta.dirname, "config.ts"))};
    await runMain("auth", () => { throw ${throws}; });`;
  const run = (throws: string) => spawnSync(process.execPath, ["--input-type=module", "--eval", start(throws)]);

  const wrong = run(`new ConfigError(["PORT: must be a port"])`);
  expect(wrong.stderr.toString()).toBe(
    "auth could not start: The configuration is not valid.\n  PORT: must be a port\n",
  );
  expect(wrong.status).toBe(1);
  const refused = run(`new Error("password authentication failed")`);
  expect(refused.stderr.toString()).toBe("auth could not start: password authentication failed\n");
  const mistake = run(`new TypeError("x is not a function")`);
  expect(mistake.stderr.toString()).toMatch(/^auth could not start: TypeError: x is not a function\n {4}at /);
});

test("a service waiting for its servers exits immediately on a signal, even as the first process of a container", async () => {
  const waiting = `
    import { runMain } from ${JSON.stringify(join(import.meta.dirname, "lifecycle.ts"))};
    setInterval(() => {}, 1000);
    await runMain("auth", () => new Promise(() => process.stdout.write("waiting")));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", waiting]);
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  // It must exit itself: signals have no default action for the first process of a container.
  expect(await exited).toEqual([0, null]);
});
