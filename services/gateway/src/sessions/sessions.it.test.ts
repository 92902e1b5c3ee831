import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectServices } from "../services.ts";
import { type FakeSystem, startFakeSystem } from "../testing/fake-system.ts";
import { principals } from "../testing/principals.ts";
import { startWipeableNats, type WipeableNats } from "../testing/wipeable-nats.ts";
import { type Sessions, tokenHash, watchSessions } from "./sessions.ts";

let nats: WipeableNats;
let system: FakeSystem;
let sessions: Sessions;
const { admin, user } = principals;
const questions = () => system.fakes.calls.filter(({ method }) => method === "resolveSession").length;

/** A bus whose consumers can be made to receive nothing, while everything else works. */
function deafable(bus: FakeSystem["bus"]) {
  const opened: { close(): Promise<unknown> }[] = [];
  let isDeaf = false;
  const consumers = {
    get: async (...args: Parameters<typeof bus.js.consumers.get>) => {
      if (isDeaf) return new Promise<never>(() => {});
      const consumer = await bus.js.consumers.get(...args);
      const consume = consumer.consume.bind(consumer);
      consumer.consume = async (...options) => {
        const messages = await consume(...options);
        opened.push(messages);
        return messages;
      };
      return consumer;
    },
  };
  const deaf = { ...bus, js: { ...bus.js, consumers } } as typeof bus;
  const hang = async () => {
    isDeaf = true;
    await Promise.all(opened.map((messages) => messages.close()));
  };
  return { deaf, hang };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 500) throw new Error("it never came to hold");
    await sleep(10);
  }
}

beforeAll(async () => {
  nats = await startWipeableNats();
  system = await startFakeSystem(nats.url);
  sessions = await watchSessions({ bus: system.bus, auth: connectServices(system.bus).auth, heartbeatTimeoutMs: 500 });
});
beforeEach(async () => {
  system.setBeating(true);
  system.fakes.heal();
  await system.putSession(admin, "admin");
  await sessions.settle();
  await until(sessions.isCurrent);
});
afterAll(async () => {
  await sessions?.stop();
  await system?.stop();
  await nats?.stop();
});

describe("a token", () => {
  test("in the bucket is resolved without a call", async () => {
    await until(async () => (await sessions.resolve(admin.token))?.username === "ada");
    const before = questions();
    expect(await sessions.resolve(admin.token)).toMatchObject({
      userId: 1,
      role: "admin",
      hash: tokenHash(admin.token),
    });
    expect(questions()).toBe(before);
  });

  test("not yet in the bucket is resolved with a call", async () => {
    await system.putSession({ ...user, token: "a-token-just-given-out" }, "user", false);
    expect(await sessions.resolve("a-token-just-given-out")).toMatchObject({ username: "ugo" });
  });

  test("that is invalid causes one call, even if sent a hundred times", async () => {
    const before = questions();
    const tries = Array.from({ length: 100 }, () => sessions.resolve("a-token-that-was-made-up"));
    expect(new Set(await Promise.all(tries))).toEqual(new Set([null]));
    expect(await sessions.resolve("a-token-that-was-made-up")).toBeNull();
    expect(questions() - before).toBe(1);
  });

  test("follows a change of its account's role at once", async () => {
    await system.putSession(admin, "viewer");
    await sessions.settle();
    expect(await sessions.resolve(admin.token)).toMatchObject({ role: "viewer" });
  });

  test("is invalid when its session ended, and listeners are notified", async () => {
    const brief = { ...user, token: "a-token-that-will-end" };
    await system.putSession(brief, "user");
    await sessions.settle();
    const ended: string[] = [];
    const off = sessions.onEnd((hash) => ended.push(hash));
    await system.endSession(brief);
    await sessions.settle();
    expect(await sessions.resolve(brief.token)).toBeNull();
    expect(ended).toEqual([tokenHash(brief.token)]);
    off();
  });
});

test("a hanging watch is detected, even though heartbeats still arrive", async () => {
  const { deaf, hang } = deafable(system.bus);
  const listener = await watchSessions({ bus: deaf, auth: connectServices(system.bus).auth });
  await until(listener.isCurrent);
  await hang();
  await system.endSession({ ...admin, token: "a-token-that-nobody-hears-of" });
  await until(() => !listener.isCurrent());
  // auth's response counts, not the watch's last state.
  const before = questions();
  await listener.resolve(admin.token);
  expect(questions() - before).toBe(1);
  await listener.stop();
});

describe("while auth's heartbeat is missing", () => {
  test("every token is checked with auth, so that ended sessions are noticed", async () => {
    system.setBeating(false);
    await until(() => !sessions.isCurrent());
    const before = questions();
    expect(await sessions.resolve(admin.token)).toMatchObject({ username: "ada" });
    expect(questions() - before).toBe(1);
  });

  test("and auth is unavailable, requests fail", async () => {
    system.setBeating(false);
    await until(() => !sessions.isCurrent());
    await system.served.auth.stop();
    await expect(sessions.resolve(admin.token)).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("a recreated bucket drops sessions that auth does not write again", async () => {
  const back = system.reconnected();
  await nats.wipe();
  await back;
  await system.putSession(user, "user");
  await until(async () => (await sessions.resolve(user.token).catch(() => null)) !== null);
  await expect(sessions.resolve(admin.token)).rejects.toMatchObject({ code: "unavailable" });
});
