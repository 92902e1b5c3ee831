import { fakeClock } from "@sonde/kit/time/clock";
import type { Path } from "@sonde/proto/gen/checks/v1/checks";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { makeNetwork, serverAddresses, type TestNetwork } from "../testing/network.ts";
import { offerPing } from "../testing/ping-program.ts";
import { createTracer, readReply } from "./trace.ts";

const { PATH } = process.env;
const mayPing = await offerPing();
const testNetwork = mayPing ? await makeNetwork().catch(() => null) : null;
afterAll(async () => {
  process.env.PATH = PATH;
  await testNetwork?.remove();
});

/** Replaces `ping` by a script that can call the real one as "$PING". */
async function usePing(script: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-trace-"));
  const before = process.env.PATH;
  const { stdout } = await promisify(execFile)("sh", ["-c", "command -v ping"]);
  const text = `#!/bin/sh\nPING='${stdout.trim()}'\n${script}\n`;
  await writeFile(join(folder, "ping"), text, { mode: 0o755 });
  process.env.PATH = `${folder}:${before}`;
  onTestFinished(() => void (process.env.PATH = before));
}

function setUp() {
  const paths: Path[] = [];
  const tracer = createTracer(fakeClock(1_750_000_000_000), "eu1", (path) => paths.push(path));
  const trace = (address: string, monitorId = 7, recovered = false) =>
    tracer.trace({ monitorId, slotMs: 1_749_999_999_000, address, recovered });
  return { paths, trace };
}

const near = { ttl: 1, address: "10.77.0.1" };

describe.skipIf(testNetwork === null)("behind a router", () => {
  const { on, enter } = testNetwork as TestNetwork;

  it("finds each hop, up to the target or the last router that answers", async () => {
    await usePing(`exec ${enter("runner").join(" ")} "$PING" "$@"`);
    // Otherwise the router answers only six times at once.
    await on("router", "sh", "-c", "echo 0 > /proc/sys/net/ipv4/icmp_ratelimit");
    const { paths, trace } = setUp();
    trace(serverAddresses[0]!, 7, true);
    trace("10.78.0.99", 8);
    await expect.poll(() => paths.length).toBe(2);
    const [reached, silent] = paths;
    expect(reached).toMatchObject({ monitorId: 7, location: "eu1", recovered: true, slotMs: 1_749_999_999_000 });
    expect(reached!.hops).toMatchObject([
      near,
      { ttl: 2, address: serverAddresses[0], roundTripMs: expect.any(Number) },
    ]);
    expect(silent!.hops).toMatchObject([near]);
  });
});

it("stops tracing if ping may not be used", async () => {
  await usePing('echo x >> "$(dirname "$0")/calls"; echo "ping: socket: Operation not permitted" >&2; exit 2');
  const { paths, trace } = setUp();
  trace("192.0.2.1");
  trace("192.0.2.2");
  const calls = async () =>
    (await readFile(join(process.env.PATH!.split(":")[0]!, "calls"), "utf8").catch(() => "")).length / 2;
  await expect.poll(calls).toBe(7);
  trace("192.0.2.3");
  expect(paths).toEqual([]);
  expect(await calls()).toBe(7);
});

it("traces a limited number of routes when many targets time out", async () => {
  await usePing('echo "From 10.0.0.1 icmp_seq=1 Destination Net Unreachable"; exit 1');
  const { paths, trace } = setUp();
  for (let monitorId = 1; monitorId <= 500; monitorId++) trace("192.0.2.1", monitorId);
  await expect.poll(() => paths.length).toBe(21);
  trace("not an address; rm", 501);
  trace("192.0.2.1", 502);
  await expect.poll(() => paths.map(({ monitorId }) => monitorId).at(-1)).toBe(502);
  expect(paths.map(({ monitorId }) => monitorId)).not.toContain(501);
});

it.each([
  [
    "64 bytes from 2001:db8::1: icmp_seq=1 ttl=58 time=12.3 ms",
    { address: "2001:db8::1", roundTripMs: 12.3, isEnd: true },
  ],
  ["64 bytes from 192.0.2.9: icmp_seq=1 ttl=58 time=7 ms", { address: "192.0.2.9", roundTripMs: 7, isEnd: true }],
  ["From 2001:db8::2 icmp_seq=1 Time exceeded: Hop limit", { address: "2001:db8::2", isEnd: false }],
  ["From 10.0.0.1 icmp_seq=1 Time to live exceeded", { address: "10.0.0.1", isEnd: false }],
  ["From 10.0.0.1 icmp_seq=1 Destination Host Unreachable", { address: "10.0.0.1", isEnd: true }],
  ["1 packets transmitted, 0 received, 100% packet loss, time 0ms", { isEnd: false }],
])("reads %s", (line, reply) => {
  expect(readReply(`PING x 56(84) bytes of data.\n${line}\n\n--- x ping statistics ---`)).toEqual(reply);
});
