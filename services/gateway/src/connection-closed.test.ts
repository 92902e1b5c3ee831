import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tokenHash } from "./sessions/sessions.ts";
import { createFakes, directServices, fakeMonitor } from "./testing/fakes.ts";
import { principals, sessionsByHash } from "./testing/principals.ts";
import { startTestApp, type TestApp } from "./testing/test-app.ts";

/** Requests, logged when their connection has closed. */
const logged = new EventEmitter();
const log = pino({ level: "info" }, { write: (line: string) => void logged.emit("line", line) });

let app: TestApp;
/** Runs inside a request before it is counted; `null` continues immediately. */
let hold: (() => Promise<unknown>) | null;

beforeAll(async () => {
  const services = directServices(createFakes());
  const heavyPage = async ({ ids = [] }: { ids?: number[] }) => {
    if (ids.length === 0) await hold?.();
    return { monitors: [fakeMonitor(7)], total: 2, restIds: ids.length === 0 ? [8] : [] };
  };
  app = await startTestApp(
    {
      services: { ...services, monitors: { ...services.monitors, listMonitors: heavyPage as never } },
      sessions: {
        resolve: async (token) => {
          if (token === principals.viewer.token) await hold?.();
          return sessionsByHash.get(tokenHash(token)) ?? null;
        },
        keepsRights: () => true,
        hasEnded: () => false,
        isCurrent: () => true,
        settle: async () => {},
        onEnd: () => () => {},
        stop: async () => {},
      },
    },
    log,
  );
});
beforeEach(() => void (hold = null));
afterAll(() => app.stop());

/** Disconnects while a request waits; resolves when the request has continued after that. */
async function sendAndDisconnect(path: string, token: string): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const left = once(logged, "line");
  hold = async () => {
    arrived.resolve();
    await left;
  };
  const socket = connect(app.port, "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await arrived.promise;
  socket.destroy();
  await left;
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
  hold = null;
}

test("clients that disconnect before the first response are not counted", async () => {
  for (let count = 0; count < 3; count += 1) await sendAndDisconnect("/api/monitors", principals.user.token);
  expect((await app.ask("GET", "/api/monitors", { as: "user" })).status).toBe(200);
});

test("clients that disconnect before their session is resolved leave no stream open", async () => {
  await sendAndDisconnect("/api/events", principals.viewer.token);
  expect(app.hub.size()).toBe(0);
});
