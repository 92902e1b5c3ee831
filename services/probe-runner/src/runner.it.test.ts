import { create } from "@bufbuild/protobuf";
import { fork } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { client } from "@sonde/kit/bus/rpc";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { slotAfter } from "@sonde/kit/time/slots";
import { CheckSpecSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { probesContract } from "@sonde/proto/rpc/probes";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Config, readConfig } from "./config.ts";
import { start } from "./main.ts";
import { runnerMetrics } from "./telemetry.ts";
import { defineMonitor, openDesk } from "./testing/bus.ts";
import { closeServers, serveHttp } from "./testing/loopback.ts";

const key = randomBytes(32).toString("base64");
/** Limits for an idle machine; a busy one gets six times as long. */
const within = (seconds: number) => ({ timeout: 6 * seconds * 1000, interval: 50 });
const stops: (() => Promise<unknown>)[] = [];
let dataDir: string;
let nats: EmbeddedServer;
let desk: Awaited<ReturnType<typeof openDesk>>;
let location: string;
let nextId = 1;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-runner-"));
  nats = await startNats({ dataDir });
  desk = await openDesk(nats.url);
});
afterAll(async () => {
  await desk.close();
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  closeServers();
});

function config(changes: Partial<Record<keyof Config, string>> = {}): Config {
  return readConfig({
    NATS_URL: nats.url,
    ...deriveKeys(key),
    LOG_LEVEL: "silent",
    PROBE_LOCATION: location,
    ...changes,
  });
}

async function startRunner() {
  const service = await start(config());
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  stops.push(stop);
  return { stop };
}

async function setUp(answer = { code: 200 }) {
  location = `l${randomUUID().slice(0, 8)}`;
  const requests: { url: string; headers: Record<string, unknown> }[] = [];
  const origin = await serveHttp((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    response.writeHead(answer.code).end("ok");
  });
  return { origin, requests, answer };
}

describe("a runner", () => {
  it("checks a monitor at its slots and publishes the results", async () => {
    const { origin } = await setUp();
    const id = nextId++;
    await desk.put(defineMonitor(id, `${origin}/`, { location }));
    await startRunner();
    await vi.waitFor(() => expect(desk.of(id).length).toBeGreaterThanOrEqual(3), within(20));
    const [first, ...rest] = desk.of(id);
    expect(first).toMatchObject({ location, status: "up", statusCode: 200, version: 1, attempt: 1, failures: 0 });
    for (const result of desk.of(id)) expect(slotAfter(id, 1000, result.slotMs - 1)).toBe(result.slotMs);
    expect(rest.map(({ slotMs }, index) => slotMs - first!.slotMs - (index + 1) * 1000)).toEqual(rest.map(() => 0));
  });

  it("runs a new monitor at once, follows its changes, and stops at its tombstone", async () => {
    const { origin, requests, answer } = await setUp();
    await startRunner();
    const id = nextId++;
    const day = { location, intervalMs: 86_400_000 };
    await desk.put(defineMonitor(id, `${origin}/one`, day));
    await vi.waitFor(() => expect(desk.of(id)).toMatchObject([{ status: "up", version: 1 }]), within(5));

    answer.code = 500;
    const edited = defineMonitor(id, `${origin}/two`, { ...day, version: 2 });
    await desk.put(edited);
    await vi.waitFor(
      () => expect(desk.of(id)[1]).toMatchObject({ status: "down", version: 2, failures: 1 }),
      within(5),
    );

    // Neither a known revision nor an older one changes anything.
    await desk.put(edited);
    await desk.put(defineMonitor(id, `${origin}/old`, { ...day, version: 1, revision: edited.revision - 1 }));
    await desk.put(defineMonitor(id, "", { location, deleted: true, active: false }));
    const other = nextId++;
    await desk.put(defineMonitor(other, `${origin}/other`, day));
    await vi.waitFor(() => expect(desk.of(other)).toHaveLength(1), within(5));
    expect(requests.map(({ url }) => url)).toEqual(["/one", "/two", "/other"]);
    expect(desk.of(id)).toHaveLength(2);
  });

  it("publishes a fingerprint with the first result, and the last good one with the evidence of a failure", async () => {
    const { origin, answer } = await setUp();
    const id = nextId++;
    await desk.put(defineMonitor(id, `${origin}/`, { location }));
    await startRunner();
    await vi.waitFor(() => expect(desk.of(id).length).toBeGreaterThan(1), within(10));
    answer.code = 500;
    const failed = () => desk.of(id).find(({ status }) => status === "down");
    await vi.waitFor(() => expect(failed()?.evidence).toBeDefined(), within(10));
    const [first, second] = desk.of(id);
    const addresses = ["127.0.0.1"];
    expect(JSON.parse(first?.fingerprint ?? "")).toMatchObject({ addresses, status: 200, bodyBytes: 2 });
    expect(second?.fingerprint).toBeUndefined();
    const fingerprint = { addresses, status: 500 };
    expect(JSON.parse(failed()?.fingerprint ?? "")).toMatchObject(fingerprint);
    const lastGood = { addresses, status: 200 };
    expect(JSON.parse(failed()?.evidence ?? "")).toMatchObject({ fingerprint, lastGood });
  });

  it("continues when the bucket vanishes, and ignores other locations' monitors", async () => {
    const { origin, requests } = await setUp();
    const [id, foreign, paused] = [nextId++, nextId++, nextId++];
    await desk.put(defineMonitor(id, `${origin}/mine`, { location }));
    await desk.put(defineMonitor(foreign, `${origin}/foreign`, { location: "elsewhere" }));
    await desk.put(defineMonitor(paused, `${origin}/paused`, { location, active: false }));
    await startRunner();
    await vi.waitFor(() => expect(desk.of(id).length).toBeGreaterThan(0), within(10));
    await desk.wipe();
    const before = desk.of(id).length;
    await vi.waitFor(() => expect(desk.of(id).length).toBeGreaterThan(before + 2), within(10));
    expect(new Set(requests.map(({ url }) => url))).toEqual(new Set(["/mine"]));
    await desk.mend(defineMonitor(foreign, `${origin}/foreign`, { location: "elsewhere" }));
  });

  it("opens sealed headers, and checks nothing if they do not open", async () => {
    const { origin, requests } = await setUp();
    const spec = (sealed: string) => {
      const headers = [{ name: "Authorization", value: { sealed } }];
      const check = JSON.stringify({ type: "http", url: `${origin}/`, headers });
      return create(CheckSpecSchema, { check, timeoutMs: 10_000 });
    };
    const [good, bad] = [nextId++, nextId++];
    const seal = (withKey: string) => secretBox(deriveKeys(withKey)).seal("Bearer canary", secretContexts.check);
    await desk.put(defineMonitor(bad, "", { location, spec: spec(seal(randomBytes(32).toString("base64"))) }));
    await desk.put(defineMonitor(good, "", { location, spec: spec(seal(key)) }));
    await startRunner();
    await vi.waitFor(() => expect(desk.of(good).length).toBeGreaterThan(1), within(10));
    expect(requests[0]?.headers.authorization).toBe("Bearer canary");
    expect(desk.of(bad)).toEqual([]);
    expect(await runnerMetrics.unreadableDefinitions.get()).toMatchObject({ values: [{ value: 1 }] });
  });

  it("handles check-now and test-before-save", async () => {
    const { origin, answer } = await setUp();
    await startRunner();
    const probes = client(desk.bus, probesContract);
    const { timeoutMs, check } = defineMonitor(0, `${origin}/`, { location }).spec!;
    const unsaved = { monitorId: 0, version: 0, timeoutMs, check: JSON.parse(check) as Record<string, unknown> };
    expect(await probes.runCheck(unsaved, { scope: location })).toMatchObject({
      monitorId: 0,
      status: "up",
      manual: true,
      location,
    });

    answer.code = 503;
    const id = nextId++;
    const saved = { ...unsaved, monitorId: id, version: 7 };
    const result = await probes.runCheck(saved, { scope: location });
    expect(result).toMatchObject({ status: "down", failures: 1, error: { kind: "status" } });
    expect(result.slot).toBe(result.startedAt);
    await vi.waitFor(() => expect(desk.of(id)).toMatchObject([{ manual: true, version: 7 }]), within(5));
    expect(desk.of(0)).toEqual([]);

    expect(await probes.runCheck({ ...saved, attempt: 2 }, { scope: location })).toMatchObject({
      status: "down",
      attempt: 2,
      failures: 2,
    });

    const blocked = { ...unsaved, check: { url: "http://169.254.169.254/", type: "http" } };
    expect(await probes.runCheck(blocked, { scope: location })).toMatchObject({
      status: "down",
      error: { kind: "blocked" },
    });
    await expect(probes.runCheck(unsaved, { scope: "nowhere" })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("re-checks a failure before reporting it", async () => {
    const { origin, answer } = await setUp({ code: 500 });
    await startRunner();
    const id = nextId++;
    await desk.put(defineMonitor(id, `${origin}/`, { location, intervalMs: 86_400_000, retries: 1 }));
    await vi.waitFor(
      () => expect(desk.of(id)).toMatchObject([{ status: "down", attempt: 2, failures: 2 }]),
      within(10),
    );
    answer.code = 200;
  });
});

describe("two runners", () => {
  it("share their location's monitors, and take over from each other without a gap", async () => {
    const { origin } = await setUp();
    const ids = Array.from({ length: 40 }, () => nextId++);
    for (const id of ids) await desk.put(defineMonitor(id, `${origin}/${id}`, { location }));
    const first = await startRunner();
    await startRunner();
    const runnersOf = (fromMs: number) =>
      new Set(ids.flatMap((id) => desk.of(id).filter(({ slotMs }) => slotMs >= fromMs)).map(({ runner }) => runner));
    const bothFromMs = Date.now();
    await vi.waitFor(() => expect(runnersOf(bothFromMs).size).toBe(2), within(20));
    // The newcomer's share takes effect a second after it joined; after that each slot has one runner.
    const sharedFromMs = Date.now() + 1000;
    await vi.waitFor(() => {
      for (const id of ids) expect(desk.of(id).at(-1)!.slotMs).toBeGreaterThan(sharedFromMs);
    }, within(10));
    await first.stop();
    const leftMs = Date.now();
    await vi.waitFor(() => {
      for (const id of ids) expect(desk.of(id).at(-1)!.slotMs).toBeGreaterThan(leftMs + 2000);
    }, within(20));

    for (const id of ids) {
      const slots = desk.of(id).map(({ slotMs }) => slotMs);
      const shared = slots.filter((slotMs) => slotMs >= sharedFromMs);
      expect(shared.length).toBe(new Set(shared).size);
      const [from, to] = [Math.min(...shared), Math.max(...shared)];
      expect(shared.length).toBe((to - from) / 1000 + 1);
    }
    expect(runnersOf(leftMs + 2000).size).toBe(1);
  });
});

describe("a killed runner", () => {
  it("is replaced within seconds, starting with the slots that it left", async () => {
    const { origin } = await setUp();
    const ids = Array.from({ length: 20 }, () => nextId++);
    for (const id of ids) await desk.put(defineMonitor(id, `${origin}/${id}`, { location, intervalMs: 2000 }));
    await startRunner();
    const main = new URL("./main.ts", import.meta.url);
    const env = { ...process.env, NATS_URL: nats.url, ...deriveKeys(key), LOG_LEVEL: "silent" };
    const doomed = fork(main, { env: { ...env, PROBE_LOCATION: location }, stdio: "ignore" });
    stops.push(async () => doomed.kill("SIGKILL"));
    await once(doomed, "message");
    const recent = () => ids.map((id) => desk.of(id).at(-1)).filter((result) => result !== undefined);
    await vi.waitFor(() => expect(new Set(recent().map(({ runner }) => runner)).size).toBe(2), within(20));
    doomed.kill("SIGKILL");
    const killedMs = Date.now();
    await vi.waitFor(() => {
      expect(new Set(recent().map(({ runner }) => runner)).size).toBe(1);
      for (const { slotMs } of recent()) expect(slotMs).toBeGreaterThan(killedMs);
    }, within(20));
    // The newest slot of the silent window was made up for, so no gap exceeds four seconds.
    for (const id of ids) {
      const slots = desk.of(id).map(({ slotMs }) => slotMs);
      const steps = slots.slice(1).map((slotMs, index) => slotMs - slots[index]!);
      expect(Math.max(...steps)).toBeLessThanOrEqual(6000);
    }
  });
});

describe("a stopping runner", () => {
  it("finishes and publishes checks under way", async () => {
    location = `l${randomUUID().slice(0, 8)}`;
    const arrived = Promise.withResolvers<ServerResponse>();
    const origin = await serveHttp((_request, response) => arrived.resolve(response));
    const runner = await startRunner();
    const id = nextId++;
    const slow = defineMonitor(id, `${origin}/`, { location, intervalMs: 86_400_000 });
    slow.spec!.timeoutMs = 5000;
    await desk.put(slow);
    const underWay = await arrived.promise;
    const stopped = runner.stop();
    underWay.end("late");
    await stopped;
    await vi.waitFor(() => expect(desk.of(id)).toMatchObject([{ status: "up" }]), within(5));
  });
});

describe("while the bus is disconnected", () => {
  it("keeps checking, and publishes everything after the reconnect", async () => {
    const { origin, requests } = await setUp();
    const id = nextId++;
    await desk.put(defineMonitor(id, `${origin}/`, { location }));
    await startRunner();
    await vi.waitFor(() => expect(desk.of(id).length).toBeGreaterThan(1), within(10));
    await nats.stop();
    const before = requests.length;
    await vi.waitFor(() => expect(requests.length).toBeGreaterThan(before + 1), within(10));
    nats = await startNats({ dataDir, port: nats.port });
    await vi.waitFor(() => expect(desk.of(id).at(-1)!.slotMs).toBeGreaterThan(Date.now() - 2000), within(20));
    const slots = [...new Set(desk.of(id).map(({ slotMs }) => slotMs))].sort((left, right) => left - right);
    const gaps = slots.slice(1).map((slotMs, index) => slotMs - slots[index]!);
    expect(gaps).toEqual(gaps.map(() => 1000));
  });
});
