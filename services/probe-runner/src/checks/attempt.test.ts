import { fakeClock } from "@sonde/kit/time/clock";
import { createGuard } from "@sonde/kit/egress/guard";
import { silentLog } from "@sonde/kit/service/log";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { resolverOf, targetOf } from "../testing/check.ts";
import { closeServers, freePort, serveHttp } from "../testing/loopback.ts";
import { createJudging } from "../probe/judging.ts";
import { cancelled } from "../probe/probe.ts";
import { createChecker, noCapacity } from "./attempt.ts";
import { watchLoopLag } from "./loop-lag.ts";
import type { Reachability } from "./reach.ts";

afterEach(closeServers);

const noTrouble: Reachability["ownTrouble"] = async () => undefined;

async function setUp({
  lagMs = 0,
  connected = true,
  timeoutMs = 1000,
  code = 0,
  ownTrouble = noTrouble,
  invert = false,
} = {}) {
  const clock = fakeClock();
  const answer = (_request: unknown, response: ServerResponse) => void response.writeHead(code).end();
  const url = code === 0 ? `http://127.0.0.1:${await freePort()}/` : await serveHttp(answer);
  const resolver = resolverOf({
    "127.0.0.1": { addresses: ["127.0.0.1"] },
    "169.254.169.254": { addresses: ["169.254.169.254"] },
    "never.test": new Promise(() => undefined),
  });
  const checker = createChecker({
    clock,
    limits: { total: 10, perHost: 10 },
    lag: { begin() {}, end() {}, maxLagSince: () => lagMs, stop() {} },
    reach: { alive: () => undefined, ownTrouble },
    resolver,
    guard: createGuard(),
    judging: createJudging(clock),
    log: silentLog,
    busConnected: () => connected,
  });
  const jobOf = (changedUrl = url, controller = new AbortController()) => ({
    target: targetOf({ url: changedUrl, invert }),
    timeoutMs,
    timedOutBefore: false,
    controller,
  });
  const run = (...given: Parameters<typeof jobOf>) => checker.run(jobOf(...given));
  const runManual = (...given: Parameters<typeof jobOf>) => checker.runManual(jobOf(...given));
  return { clock, checker, run, runManual };
}

describe("a failed check", () => {
  it("is down while the runner is healthy", async () => {
    const { run } = await setUp();
    expect((await run()).outcome).toMatchObject({ status: "down", error: { kind: "connect" } });
  });

  it("is no result if the loop was blocked for over a quarter of the timeout", async () => {
    const well = await setUp({ lagMs: 250 });
    expect((await well.run()).outcome.status).toBe("down");
    const stalled = await setUp({ lagMs: 251 });
    expect((await stalled.run()).outcome).toEqual({ status: "none", trouble: "the loop stood still" });
  });

  it("is no result while the bus is disconnected", async () => {
    const { run } = await setUp({ connected: false });
    expect((await run()).outcome).toEqual({ status: "none", trouble: "disconnected from NATS" });
  });
});

it("a check releases the memory of large bodies for later checks", async () => {
  const { checker } = await setUp();
  const body = "x".repeat(1024 * 1024 - 1);
  const url = await serveHttp((_request, response) => void response.end(body));
  const target = targetOf({ url, assertions: [{ source: "body", op: "notContains", value: "y" }] });
  for (let ran = 0; ran < 70; ran++) {
    const job = { target, timeoutMs: 60_000, timedOutBefore: false, controller: new AbortController() };
    expect((await checker.run(job)).outcome.status).toBe("up");
  }
});

describe("a silence", () => {
  it("is no result if the runner caused it, and down if the cause cannot be determined", async () => {
    const queries: Parameters<Reachability["ownTrouble"]>[] = [];
    const ownTrouble: Reachability["ownTrouble"] = async (...silence) => (
      queries.push(silence),
      "no known host answers"
    );
    const cutOff = await setUp({ ownTrouble });
    expect((await cutOff.run("http://nowhere.test/")).outcome).toEqual({
      status: "none",
      trouble: "no known host answers",
    });
    expect(queries).toEqual([[{ of: "name", name: "nowhere.test" }, 0]]);
    const broken = await setUp({ ownTrouble: () => Promise.reject(new Error("broken")) });
    expect((await broken.run("http://nowhere.test/")).outcome).toMatchObject({
      status: "down",
      error: { kind: "dns" },
    });
  });

  it("is not reported for a refused connection or an unexpected status", async () => {
    const ownTrouble = async () => "never asked";
    for (const code of [0, 500]) expect((await (await setUp({ ownTrouble, code })).run()).outcome.status).toBe("down");
  });
});

describe("a check that must fail", () => {
  const invert = true;

  it("is up if it fails, and down if it succeeds", async () => {
    const { outcome } = await (await setUp({ invert, code: 500 })).run();
    expect(outcome).toMatchObject({ status: "up", statusCode: 500 });
    expect(outcome).not.toHaveProperty("error");
    expect((await (await setUp({ invert })).run()).outcome.status).toBe("up");
    expect((await (await setUp({ invert, code: 200 })).run()).outcome).toMatchObject({
      status: "down",
      error: { kind: "assertion", message: "The check succeeded but was expected to fail" },
    });
  });

  it("is no result if the runner may have caused the failure", async () => {
    expect((await (await setUp({ invert, connected: false })).run()).outcome.status).toBe("none");
    const cutOff = await setUp({ invert, ownTrouble: async () => "no known host answers" });
    expect((await cutOff.run("http://nowhere.test/")).outcome.status).toBe("none");
  });

  it("is down if its address is blocked", async () => {
    const { run } = await setUp({ invert });
    expect((await run("http://169.254.169.254/")).outcome).toMatchObject({
      status: "down",
      error: { kind: "blocked" },
    });
  });
});

describe("an unexpected status", () => {
  it("counts regardless of the runner's own problems", async () => {
    const { run } = await setUp({ lagMs: 5000, connected: false, code: 503 });
    expect((await run()).outcome).toMatchObject({ status: "down", error: { kind: "status" } });
  });
});

describe("a check", () => {
  it("ends at its deadline and releases its capacity", async () => {
    const { clock, checker, run } = await setUp();
    const running = run("http://never.test/");
    expect(checker.inFlight()).toBe(1);
    clock.advance(1000);
    // Lookups get no response either, so the resolver may be at failure.
    expect((await running).outcome.status).toBe("none");
    expect(checker.inFlight()).toBe(0);
  });

  it("does not begin if it was cancelled before its turn", async () => {
    const { run } = await setUp();
    const controller = new AbortController();
    controller.abort(cancelled);
    expect((await run(undefined, controller)).outcome).toEqual({ status: "none", trouble: "cancelled" });
  });
});

describe("manual checks", () => {
  it("use none of the schedule's capacity, even if many hang, and report if their own is used up", async () => {
    const { clock, checker, run, runManual } = await setUp({ code: 200 });
    const queries = Array.from({ length: 50 }, () => runManual("http://never.test/"));
    for (let scheduled = 0; scheduled < 9; scheduled++) void run("http://never.test/");
    await vi.waitFor(() => expect(checker.inFlight()).toBe(4 + 9));
    expect((await run()).outcome.status).toBe("up");
    expect((await queries.at(-1))?.outcome).toEqual({ status: "none", trouble: noCapacity });
    clock.advance(1000);
    await Promise.all(queries);
    expect((await runManual()).outcome.status).toBe("up");
  });
});

describe("loop lag", () => {
  it("is the longest stall since an instant, including a current one", () => {
    const clock = fakeClock();
    const timers: (() => void)[] = [];
    const lag = watchLoopLag({ ...clock, setTimeout: (run) => (timers.push(run), () => undefined) });
    lag.begin();
    clock.advance(50);
    timers.pop()!();
    expect(lag.maxLagSince(0)).toBe(0);
    clock.advance(450);
    expect(lag.maxLagSince(clock.elapsedMs() - 10)).toBe(400);
    timers.pop()!();
    const afterMs = clock.elapsedMs() + 1;
    expect(lag.maxLagSince(0)).toBe(400);
    clock.advance(50);
    expect(lag.maxLagSince(afterMs)).toBe(0);
  });

  it("is not measured, and wakes nothing, while no check is under way", () => {
    const clock = fakeClock();
    let timers = 0;
    const lag = watchLoopLag({ ...clock, setTimeout: (run, delayMs) => (timers++, clock.setTimeout(run, delayMs)) });
    clock.advance(1_000);
    expect([timers, lag.maxLagSince(0)]).toEqual([0, 0]);
    lag.begin();
    clock.advance(100);
    lag.end();
    clock.advance(10_000);
    expect([timers, lag.maxLagSince(0)]).toEqual([3, 0]);
    lag.begin();
    clock.advance(50);
    expect(timers).toBe(5);
  });
});
