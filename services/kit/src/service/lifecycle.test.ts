import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "@sonde/local/embedded/free-port";
import { opsServer } from "./lifecycle.ts";
import { silentLog } from "./log.ts";
import { counter } from "../telemetry/metrics.ts";

test("the ops port tells health, readiness by part, and metrics", async () => {
  let busConnected = true;
  counter("sonde_lifecycle_test_total", "For this test").inc();
  const port = await freePort();
  const ops = await opsServer({
    port,
    host: "127.0.0.1",
    log: silentLog,
    checks: { bus: () => busConnected, database: async () => true },
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);

  expect((await get("/healthz")).status).toBe(200);
  expect(await (await get("/readyz")).json()).toEqual({ status: "ok", checks: { bus: true, database: true } });
  busConnected = false;
  const away = await get("/readyz");
  expect(away.status).toBe(503);
  expect(await away.json()).toMatchObject({ checks: { bus: false } });
  expect(await (await get("/metrics")).text()).toContain("sonde_lifecycle_test_total 1");
  expect((await get("/secrets")).status).toBe(404);
  await ops.stop();
});

test("a check that throws is not ready, and readyz still answers", async () => {
  const port = await freePort();
  const checks = {
    database: () => {
      throw new Error("away");
    },
  };
  const ops = await opsServer({ port, host: "127.0.0.1", log: silentLog, checks });
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
  await ops.stop();
});

test("a service that cannot start says why in one line, without a stack", async () => {
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
