import { expect, test } from "vitest";
import { freePort } from "@sonde/embedded/free-port";
import { silentLog } from "./log.ts";
import { openOpsPort } from "./ops-port.ts";
import { counter } from "../telemetry/metrics.ts";

test("the ops port serves health, readiness by check, and metrics", async () => {
  let busConnected = true;
  counter("sonde_lifecycle_test_total", "For this test").inc();
  const port = await freePort();
  const ops = await openOpsPort({
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

test("a service with staysReady is ready from the first success of all checks until it drains", async () => {
  const holds = { bus: true, database: false };
  const port = await freePort();
  const checks = { bus: () => holds.bus, database: () => holds.database };
  const ops = await openOpsPort({ port, host: "127.0.0.1", log: silentLog, checks, staysReady: true });
  const get = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    return [answer.status, await answer.json()];
  };

  expect(await get()).toEqual([503, { status: "not ready", checks: { bus: true, database: false } }]);
  holds.database = true;
  expect(await get()).toMatchObject([200, { status: "ok" }]);
  holds.bus = false;
  expect(await get()).toEqual([200, { status: "ok", checks: { bus: false, database: true } }]);
  ops.drain();
  expect(await get()).toMatchObject([503, { status: "draining" }]);
  await ops.stop();
});

test("a throwing check is not ready, and readyz still responds", async () => {
  const port = await freePort();
  const checks = {
    database: () => {
      throw new Error("away");
    },
  };
  const ops = await openOpsPort({ port, host: "127.0.0.1", log: silentLog, checks });
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
  await ops.stop();
});

test("a port in use is reported in one line with its variable", async () => {
  const options = { port: await freePort(), host: "127.0.0.1", log: silentLog, checks: {} };
  const first = await openOpsPort(options);
  await expect(openOpsPort(options)).rejects.toThrow("or set OPS_PORT");
  await first.stop();
});
