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
const questions = () => system.fakes.asked.filter(({ method }) => method === "resolveSession").length;

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
  sessions = await watchSessions({ bus: system.bus, auth: connectServices(system.bus).auth, silentMs: 500 });
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
  test("that the bus told of is known without a question", async () => {
    await until(async () => (await sessions.resolve(admin.token))?.username === "ada");
    const before = questions();
    expect(await sessions.resolve(admin.token)).toMatchObject({
      userId: 1,
      role: "admin",
      hash: tokenHash(admin.token),
    });
    expect(questions()).toBe(before);
  });

  test("that the bus has not told of yet is asked for", async () => {
    await system.putSession({ ...user, token: "a-token-just-given-out" }, "user", false);
    expect(await sessions.resolve("a-token-just-given-out")).toMatchObject({ username: "ugo" });
  });

  test("that is none is asked for once, be it tried a hundred times", async () => {
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

  test("is dead once its session ended, and whoever listens hears of it", async () => {
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

test("a watch that hangs is noticed, though heartbeats still come", async () => {
  const { deaf, hang } = deafable(system.bus);
  const listener = await watchSessions({ bus: deaf, auth: connectServices(system.bus).auth });
  await until(listener.isCurrent);
  await hang();
  await system.endSession({ ...admin, token: "a-token-that-nobody-hears-of" });
  await until(() => !listener.isCurrent());
  // Auth's answer counts, not the watch's last state.
  const before = questions();
  await listener.resolve(admin.token);
  expect(questions() - before).toBe(1);
  await listener.stop();
});

describe("while auth is silent", () => {
  test("every token is asked for, so that none outlives its session unseen", async () => {
    system.setBeating(false);
    await until(() => !sessions.isCurrent());
    const before = questions();
    expect(await sessions.resolve(admin.token)).toMatchObject({ username: "ada" });
    expect(questions() - before).toBe(1);
  });

  test("and away, nobody is let in", async () => {
    system.setBeating(false);
    await until(() => !sessions.isCurrent());
    await system.served.auth.stop();
    await expect(sessions.resolve(admin.token)).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("a bucket that was made anew forgets whom auth does not name again", async () => {
  const back = system.reconnected();
  await nats.wipe();
  await back;
  await system.putSession(user, "user");
  await until(async () => (await sessions.resolve(user.token).catch(() => null)) !== null);
  await expect(sessions.resolve(admin.token)).rejects.toMatchObject({ code: "unavailable" });
});
