import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Bus } from "../bus/connect.ts";
import { silentLog } from "../service/log.ts";
import { fakeClock } from "../time/clock.ts";
import { encodeHeartbeat } from "./view.ts";
import { watchGroups } from "./group.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A watcher on a bus that works until the test changes it. */
function setUp() {
  const clock = fakeClock();
  const bus = { carries: true, pings: 0 };
  let receive = (_error: null, _message: { subject: string; string(): string }) => {};
  const nc = {
    subscribe(_subject: string, { callback }: { callback: typeof receive }) {
      receive = callback;
      return { unsubscribe() {} };
    },
    flush() {
      bus.pings++;
      return bus.carries ? Promise.resolve() : Promise.reject(new Error("away"));
    },
  };
  const connection = { nc, connected: () => true, log: silentLog } as unknown as Bus;
  const watch = watchGroups({ bus: connection, subject: "heartbeats.runners.*", clock });
  const beat = (id: string, trouble?: string) => {
    const text = encodeHeartbeat({ id, fromMs: 0, sentElapsedMs: 0, trouble });
    receive(null, { subject: "heartbeats.runners.east", string: () => text });
  };
  /** These members send a heartbeat every second. */
  const pass = async (seconds: number, ...ids: string[]) => {
    for (let second = 0; second < seconds; second++) {
      for (const id of ids) beat(id);
      for (let tick = 0; tick < 2; tick++) {
        clock.advance(500);
        await vi.advanceTimersByTimeAsync(500);
      }
    }
  };
  return { bus, watch, pass, beat, living: () => watch.members("runners.east") };
}

test("the server is pinged only while there are no heartbeats", async () => {
  const { bus, watch, pass } = setUp();
  await pass(10, "a");
  expect(bus.pings).toBe(0);
  await pass(10);
  expect(bus.pings).toBeGreaterThan(2);
  watch.stop();
});

test("a silent member is no longer counted", async () => {
  const { watch, pass, living } = setUp();
  await pass(3, "a", "b");
  expect(living()).toBe(2);
  await pass(6, "a");
  expect(living()).toBe(1);
  watch.stop();
});

test("the trouble of a member is reported until it has recovered or is gone", async () => {
  const { watch, pass, beat } = setUp();
  const trouble = () => watch.trouble("runners.east");
  await pass(3, "a", "b");
  expect(trouble()).toBeUndefined();
  beat("b", "names");
  expect(trouble()).toBe("names");
  beat("b");
  expect(trouble()).toBeUndefined();
  beat("b", "network");
  await pass(6, "a");
  expect(trouble()).toBeUndefined();
  expect(watch.trouble("runners.west")).toBeUndefined();
  watch.stop();
});

test("if all members are silent, they are no longer counted if the server responds, and still counted if not", async () => {
  const answering = setUp();
  await answering.pass(3, "a", "b");
  await answering.pass(6);
  expect(answering.living()).toBe(0);
  answering.watch.stop();
  const away = setUp();
  await away.pass(3, "a", "b");
  away.bus.carries = false;
  await away.pass(60);
  expect(away.living()).toBe(2);
  away.watch.stop();
});
