import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buckets, streams } from "@sonde/proto/streams";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { connectBus } from "./connect.ts";
import { silentLog } from "../service/log.ts";
import { fetchDebianServer, findNatsServer } from "@sonde/embedded/nats-binary";
import { startNats } from "@sonde/embedded/nats";

/** Minimum version in Debian testing. */
const current = /2\.(?:1[5-9]|[2-9]\d)\./;
const path = process.env.PATH ?? "";
let folder: string;
/** Folders with one server each: the one of the Debian release, and the one downloaded if none is installed. */
let old: string;
let fetched: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-versions-"));
  old = join(folder, "old");
  fetched = join(folder, "fetched");
  await Promise.all([mkdir(old), mkdir(fetched)]);
  await symlink(await fetchDebianServer(), join(old, "nats-server"));
  await symlink(await findNatsServer(undefined, []), join(fetched, "nats-server"));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a server in PATH is preferred, whatever its version; without one the current version is downloaded", async () => {
  const versionOf = async (program: string) => (await promisify(execFile)(program, ["--version"])).stdout.trim();
  expect(await versionOf(join(fetched, "nats-server"))).toMatch(current);
  vi.stubEnv("PATH", `${old}:${path}`);
  expect(await findNatsServer()).toBe(join(old, "nats-server"));
});

test("data of Debian's 2.9 is readable with the current server", async () => {
  const dataDir = join(folder, "data");
  const options = { name: "test", log: silentLog, shrink: 4 };
  vi.stubEnv("PATH", `${old}:${path}`);
  const former = await startNats({ dataDir });
  const before = await connectBus({ ...options, url: former.url });
  expect(before.nc.info?.version).toMatch(/^2\.9\./);
  for (let id = 0; id < 50; id++) await before.js.publish(`results.${id % 16}.default`, `result ${id}`);
  await (await before.kv(buckets.sessions)).put("abc", "session");
  await before.jsm.consumers.add(streams.results.name, { durable_name: "metrics", ack_policy: "explicit" });
  await before.close();
  await former.stop();

  vi.stubEnv("PATH", `${fetched}:${path}`);
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
