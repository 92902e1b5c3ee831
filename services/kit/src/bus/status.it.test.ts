import { AuthorizationError } from "@nats-io/nats-core";
import { startNats } from "@sonde/embedded/nats";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { freePort } from "@sonde/embedded/free-port";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeEach, expect, test, vi } from "vitest";
import { type Bus, connectBus } from "./connect.ts";
import { createLog, silentLog } from "../service/log.ts";

const within = { timeout: 20_000 };
let port: number;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let words: string[];
let lost: number;

beforeEach(async () => {
  [words, lost] = [[], 0];
  port = await freePort();
  nats = await startNats({ port, password: "first" });
  const log = createLog("test", "info", {
    write: (line) => void words.push((JSON.parse(line) as { msg: string }).msg),
  });
  const onLost = () => void lost++;
  bus = await connectBus({ url: nats.url, name: "test", log, streams: [], buckets: ["sessions"], onLost });
  return async () => {
    await bus.close();
    await nats.stop();
  };
});

test("a bus that refuses the connection is retried until it accepts, and the log reports it once", async () => {
  let refusals = 0;
  const countRefusals = async () => {
    for await (const status of bus.nc.status())
      if (status.type === "error" && status.error instanceof AuthorizationError) refusals++;
  };
  void countRefusals();
  await nats.stop();
  nats = await startNats({ port, password: "second" });
  await vi.waitFor(() => expect(refusals).toBeGreaterThan(2), within);
  expect(bus.connected()).toBe(false);
  await nats.stop();
  nats = await startNats({ port, password: "first" });

  await vi.waitFor(() => expect(bus.connected()).toBe(true), within);
  expect(words.filter((line) => line.startsWith("NATS authentication failed"))).toHaveLength(1);
});

test("a disconnect while JetStream is unavailable is detected, and listeners run once when both are back", async () => {
  let told = 0;
  bus.onReconnect(() => told++);
  await nats.stop();
  const args = ["-a", "127.0.0.1", "-p", String(port), "--user", "sonde", "--pass", "first"];
  const without = spawn(await findNatsServer(), args, { stdio: "ignore" });
  await vi.waitFor(() => expect(words.at(-1)).toMatch(/^waiting for NATS/), within);
  expect(bus.connected()).toBe(true);
  without.kill("SIGKILL");
  await once(without, "exit");

  await vi.waitFor(() => expect(bus.connected()).toBe(false), within);
  expect(told).toBe(0);
  nats = await startNats({ port, password: "first" });
  await vi.waitFor(() => expect(told).toBe(1), within);
  expect(bus.connected()).toBe(true);
});

test("a connection that ends unexpectedly is logged and reported, one that we close is not", async () => {
  await bus.nc.close();
  await vi.waitFor(() => expect(lost).toBe(1), within);
  expect(words).toContain("NATS connection closed; the process exits");
  let alsoLost = false;
  const onLost = () => void (alsoLost = true);
  const other = await connectBus({ url: nats.url, name: "test", log: silentLog, streams: [], buckets: [], onLost });
  await other.close();
  expect(other.nc.isClosed()).toBe(true);
  expect(alsoLost).toBe(false);
});
