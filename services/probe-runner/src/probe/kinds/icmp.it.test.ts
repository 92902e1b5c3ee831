import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type CheckWorld, probe, resolverOf } from "../../testing/check.ts";
import { offerPing } from "../../testing/ping-program.ts";
import { cancelled, noPing } from "../probe.ts";

const { PATH, LD_LIBRARY_PATH } = process.env;
const mayPing = await offerPing();
afterAll(() => {
  process.env.PATH = PATH;
  if (LD_LIBRARY_PATH === undefined) delete process.env.LD_LIBRARY_PATH;
});

const check = (host: string, icmp: { count?: number; maxLoss?: number; maxRtt?: number } = {}, world?: CheckWorld) =>
  probe({ type: "icmp", host, ...icmp }, { timeoutMs: 3000, ...world });

async function usePing(script: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-ping-"));
  await writeFile(join(folder, "ping"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const before = process.env.PATH;
  process.env.PATH = `${folder}:${before}`;
  onTestFinished(() => void (process.env.PATH = before));
}

const summary = (loss: number, rtt = "1.0/20.5/40.0/0.1") =>
  `echo "3 packets transmitted, 2 received, ${loss}% packet loss, time 402ms"; echo "rtt min/avg/max/mdev = ${rtt} ms"`;

describe.skipIf(!mayPing)("a check with the system's ping", () => {
  it("is up if the host replies, with the round trip as response time", async () => {
    const outcome = await check("127.0.0.1", { count: 2 });
    expect(outcome).toMatchObject({
      status: "up",
      timings: { dns: expect.any(Number), firstByte: expect.any(Number) },
    });
    // Excludes the 0.2 seconds between two pings.
    if (outcome.status === "up") expect(outcome.timings.total).toBeLessThan(150);
  });

  it("is down without a reply, as a silence of the host", async () => {
    // A documentation address (RFC 3849), where nothing exists.
    const outcome = await check("2001:db8::1", { count: 1 }, { timeoutMs: 1000 });
    expect(outcome).toMatchObject({ status: "down", silence: { of: "host", addresses: ["2001:db8::1"] } });
  });
});

describe("ping's output", () => {
  it("is judged by loss, then by average round trip", async () => {
    await usePing(summary(33.3333));
    expect(await check("127.0.0.1")).toMatchObject({ status: "up", timings: { firstByte: 20.5 } });
    expect(await check("127.0.0.1", { maxLoss: 33 })).toMatchObject({
      error: { kind: "assertion", message: "33.3% of the pings got no reply (maximum 33%)" },
    });
    expect(await check("127.0.0.1", { maxRtt: 20 })).toMatchObject({
      error: { kind: "assertion", message: "The round trip took 20.5 ms on average (maximum 20 ms)" },
    });
  });

  it("is requested for the address that the guard allowed, never for a name", async () => {
    await usePing(`for last; do :; done; case $last in 127.*|::1) ${summary(0)};; esac`);
    expect(await check("localhost", { count: 1 })).toMatchObject({ status: "up" });
    expect(await check("169.254.169.254")).toMatchObject({ error: { kind: "blocked" } });
  });

  it("is a silence if all replies were lost, or there is no route", async () => {
    await usePing('echo "3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 402ms"; exit 1');
    expect(await check("127.0.0.1")).toMatchObject({
      error: { kind: "timeout", message: "No ping got a reply" },
      silence: { of: "host", unrouted: false },
    });
    await usePing("echo 'ping: connect: Network is unreachable' >&2; exit 2");
    expect(await check("127.0.0.1")).toMatchObject({ error: { kind: "connect" }, silence: { unrouted: true } });
  });
});

describe("a host with several addresses", () => {
  const resolver = resolverOf({ "two.test": { addresses: ["127.0.0.2", "127.0.0.1"] } });
  const lost = 'echo "3 packets transmitted, 0 received, 100% packet loss, time 402ms"; exit 1';
  const byAddress = `for last; do :; done; case $last in 127.0.0.1) ${summary(0)};; *) ${lost};; esac`;

  it("is up if the second replies, even if the first does not", async () => {
    await usePing(byAddress);
    expect(await check("two.test", {}, { resolver })).toMatchObject({ status: "up", timings: { firstByte: 20.5 } });
  });

  it("is down if none replies, as a silence of all of them", async () => {
    await usePing(lost);
    expect(await check("two.test", {}, { resolver })).toMatchObject({
      status: "down",
      silence: { of: "host", addresses: ["127.0.0.2", "127.0.0.1"] },
    });
  });

  it("waits for each only as long as leaves time for the next", async () => {
    const clock = { now: () => 0, elapsedMs: () => 0 };
    // Half of three seconds, then the rest, minus two pauses and time for the summary.
    await usePing(`case "$*" in *"-W 0.8 "*.2) ${lost};; *"-W 2.3 "*.1) ${summary(0)};; esac`);
    expect(await check("two.test", {}, { resolver, clock })).toMatchObject({ status: "up" });
  });
});

describe("no data", () => {
  it("is reported if ping may not open its socket, or does not exist", async () => {
    await usePing("echo 'ping: socktype: SOCK_RAW' >&2; echo 'ping: socket: Operation not permitted' >&2; exit 2");
    expect(await check("127.0.0.1")).toEqual({ status: "none", trouble: noPing });
    const before = process.env.PATH;
    onTestFinished(() => void (process.env.PATH = before));
    process.env.PATH = "/nowhere";
    expect(await check("127.0.0.1")).toEqual({ status: "none", trouble: noPing });
  });
});

describe("a ping that does not end", () => {
  it("is killed at the timeout, and is a silence", async () => {
    await usePing("exec sleep 30");
    const startedMs = Date.now();
    expect(await check("127.0.0.1", {}, { timeoutMs: 200 })).toMatchObject({ error: { kind: "timeout" } });
    expect(Date.now() - startedMs).toBeLessThan(5000);
  });

  it("is no result if the check was cancelled, and its output is bounded", async () => {
    await usePing("exec sleep 30");
    const controller = new AbortController();
    const pending = check("127.0.0.1", {}, { signal: controller.signal });
    setTimeout(() => controller.abort(cancelled), 50);
    expect(await pending).toEqual({ status: "none", trouble: "cancelled" });
    await usePing("exec yes");
    expect(await check("127.0.0.1")).toEqual({ status: "none", trouble: noPing });
  });
});
