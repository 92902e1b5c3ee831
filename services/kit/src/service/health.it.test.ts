import { healthContract } from "@sonde/proto/rpc/health";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type Bus, connectBus } from "../bus/connect.ts";
import { client, hasNoResponder } from "../bus/rpc.ts";
import { startNats } from "@sonde/embedded/nats";
import { common, readConfig } from "./config.ts";
import { silentLog } from "./log.ts";
import { startService } from "./start.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let asking: Bus;
beforeAll(async () => {
  nats = await startNats();
  asking = await connectBus({ url: nats.url, name: "asking", log: silentLog, shrink: 64 });
});
afterAll(async () => {
  await asking.close();
  await nats.stop();
});

test("a service reports its readiness conditions over the bus, also while it starts and stops", async () => {
  const config = readConfig(z.object(common), { LOG_LEVEL: "silent", NATS_URL: nats.url, SONDE_LOCAL: "1" });
  const [building, connected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [stopping, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let holds = true;
  const starting = startService({
    name: "metrics",
    config,
    build: async (service) => {
      await service.connectBus();
      service.check("clickhouse", () => holds);
      service.use({ stop: () => (stopping.resolve(), stopped.promise) });
      connected.resolve();
      await building.promise;
    },
  });
  const ask = async () => {
    const { conditions } = await client(asking, healthContract, { scope: "metrics" }).check({});
    return Object.fromEntries(conditions.map(({ name, holds: isHeld }) => [name, isHeld]));
  };

  await connected.promise;
  expect(await ask()).toEqual({ started: false, bus: true, clickhouse: true });
  building.resolve();
  const service = await starting;
  expect(await ask()).toEqual({ started: true, bus: true, clickhouse: true });
  holds = false;
  expect(await ask()).toEqual({ started: true, bus: true, clickhouse: false });
  const end = service.stop();
  await stopping.promise;
  expect(await ask()).toMatchObject({ started: false });
  stopped.resolve();
  await end;
  const thrown = await ask().catch((error: unknown) => error);
  expect(hasNoResponder(thrown)).toBe(true);
});
