import { freePort } from "@sonde/embedded/free-port";
import { expect, test } from "vitest";
import { common, readConfig } from "./config.ts";
import { type ServicePart, startService } from "./start.ts";
import * as z from "zod";

const config = (port = 0) => readConfig(z.object(common), { LOG_LEVEL: "silent", OPS_PORT: String(port) });

/** Parts that record the order in which they are stopped. */
function noted() {
  const stopped: string[] = [];
  const part = (name: string, fault?: Error): ServicePart => ({
    stop: async () => {
      await Promise.resolve();
      stopped.push(name);
      if (fault !== undefined) throw fault;
    },
  });
  return { stopped, part };
}

test("parts stop one at a time in reverse order, even if one fails", async () => {
  const { stopped, part } = noted();
  const service = await startService({
    name: "metrics",
    config: config(),
    build: async ({ use }) => {
      use(part("database"));
      use(part("bus", new Error("no more bus")));
      use(part("calls"));
      return { address: "here" };
    },
  });

  expect(service.address).toBe("here");
  await expect(service.stop()).rejects.toThrow("no more bus");
  expect(stopped).toEqual(["calls", "bus", "database"]);
});

test("a service that fails to start stops its parts, and reports the original error", async () => {
  const { stopped, part } = noted();
  const starting = startService({
    name: "metrics",
    config: config(),
    build: async ({ use }) => {
      use(part("database", new Error("never mind")));
      use(part("bus"));
      throw new Error("the port is taken");
    },
  });

  await expect(starting).rejects.toThrow("the port is taken");
  expect(stopped).toEqual(["bus", "database"]);
});

test("it is ready after its start while its checks pass, and no longer when it stops", async () => {
  const port = await freePort();
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return [response.status, await response.json()];
  };
  let isHeld = true;
  const starting = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  const building = Promise.withResolvers<void>();
  const started = startService({
    name: "metrics",
    config: config(port),
    build: async ({ check, use }) => {
      check("store", () => isHeld);
      use({ stop: () => stopping.promise });
      building.resolve();
      await starting.promise;
    },
  });

  await building.promise;
  expect(await ready()).toEqual([503, { status: "not ready", checks: { started: false, store: true } }]);
  starting.resolve();
  const service = await started;
  expect(await ready()).toEqual([200, { status: "ok", checks: { started: true, store: true } }]);
  isHeld = false;
  expect(await ready()).toMatchObject([503, { checks: { store: false } }]);
  isHeld = true;
  const stopped = service.stop();
  expect(await ready()).toMatchObject([503, { status: "draining" }]);
  stopping.resolve();
  await stopped;
  await expect(ready()).rejects.toThrow();
});
