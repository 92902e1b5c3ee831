import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { fetchDebianServer } from "@sonde/embedded/nats-binary";
import { startNats } from "@sonde/embedded/nats";
import { connectBus } from "./connect.ts";
import { silentLog } from "../service/log.ts";

// Runs the bus tests on nats-server 2.9 of Debian 12, the oldest supported version.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const folder = await mkdtemp(join(tmpdir(), "sonde-nats-"));
await symlink(await fetchDebianServer(), join(folder, "nats-server"));
process.env.PATH = [folder, process.env.PATH].join(delimiter);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("these tests run on the nats-server of Debian 12", async () => {
  const nats = await startNats();
  const bus = await connectBus({ name: "test", log: silentLog, shrink: 4, url: nats.url });
  expect(bus.nc.info?.version).toMatch(/^2\.9\./);
  await bus.close();
  await nats.stop();
});

await import("./connect.it.test.ts");
await import("./durable.it.test.ts");
await import("./status.it.test.ts");
await import("./location-users.it.test.ts");
await import("./nats-users.it.test.ts");
