import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buckets, streams } from "@sonde/proto/streams";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { connectBus } from "../bus/connect.ts";
import { silentLog } from "../service/log.ts";
import { fetchDebianServer, findNatsServer } from "./nats-binary.ts";
import { startNats } from "./nats.ts";

/** What Debian's testing has, at least. */
const current = /2\.(?:1[5-9]|[2-9]\d)\./;
const path = process.env.PATH ?? "";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-versions-"));
  await symlink(await fetchDebianServer(), join(folder, "nats-server"));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a server on PATH comes first, whatever its version; without one a current one is fetched", async () => {
  const versionOf = async (program: string) => (await promisify(execFile)(program, ["--version"])).stdout.trim();
  expect(await versionOf(await findNatsServer())).toMatch(current);
  vi.stubEnv("PATH", `${folder}:${path}`);
  expect(await findNatsServer()).toBe(join(folder, "nats-server"));
});

test("what Debian's 2.9 kept is there under the current server", async () => {
  const dataDir = join(folder, "data");
  const options = { name: "test", log: silentLog, shrink: 4 };
  vi.stubEnv("PATH", `${folder}:${path}`);
  const old = await startNats({ dataDir });
  const before = await connectBus({ ...options, url: old.url });
  expect(before.nc.info?.version).toMatch(/^2\.9\./);
  for (let id = 0; id < 50; id++) await before.js.publish(`results.${id % 16}.default`, `result ${id}`);
  await (await before.kv(buckets.sessions)).put("abc", "session");
  await before.jsm.consumers.add(streams.results.name, { durable_name: "metrics", ack_policy: "explicit" });
  await before.close();
  await old.stop();

  vi.stubEnv("PATH", path);
  const nats = await startNats({ dataDir });
  const bus = await connectBus({ ...options, url: nats.url });
  expect(bus.nc.info?.version).toMatch(current);
  const { state } = await bus.jsm.streams.info(streams.results.name);
  expect(state.messages).toBe(50);
  expect((await bus.jsm.streams.getMessage(streams.results.name, { seq: 50 }))?.string()).toBe("result 49");
  expect((await (await bus.kv(buckets.sessions)).get("abc"))?.string()).toBe("session");
  expect((await bus.jsm.consumers.info(streams.results.name, "metrics")).num_pending).toBe(50);
  await bus.close();
  await nats.stop();
});
