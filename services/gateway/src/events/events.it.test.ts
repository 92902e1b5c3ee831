import { create } from "@bufbuild/protobuf";
import { IncidentSchema } from "@sonde/proto/gen/events/v1/events";
import { incidentEvent, monitorEvent } from "@sonde/proto/http/events";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { atMs, fakeIncident } from "../testing/fakes.ts";
import { type FakeSystem, startFakeSystem } from "../testing/fake-system.ts";
import { principals } from "../testing/principals.ts";
import { openStream } from "../testing/stream-reader.ts";
import { startWipeableNats, type WipeableNats } from "../testing/wipeable-nats.ts";

let nats: WipeableNats;
let system: FakeSystem;
let gateway: Awaited<ReturnType<typeof start>>;
let url = "";
const { user, viewer } = principals;

const startGateway = () =>
  start(
    readConfig({ NATS_URL: nats.url, PORT: "0", LOG_LEVEL: "silent", GATEWAY_WAIT_SECONDS: "20", SONDE_LOCAL: "1" }),
  );
const stateChange = (monitorId: number) =>
  system.publishEvent({
    case: "monitor",
    value: {
      $typeName: "sonde.events.v1.MonitorChanged",
      monitorId,
      name: "shop",
      change: "state",
      status: "down",
      previousStatus: "up",
      statusSinceMs: atMs,
    },
  });

beforeAll(async () => {
  nats = await startWipeableNats();
  system = await startFakeSystem(nats.url);
  gateway = await startGateway();
  url = `http://127.0.0.1:${gateway.address.port}`;
});
beforeEach(async () => {
  await system.putSession(user, "user");
  await system.putSession(viewer, "viewer");
});
afterAll(async () => {
  await gateway?.stop();
  await system?.stop();
  await nats?.stop();
});

describe("the stream of events", () => {
  test("sends a change with an id to resume from", async () => {
    const stream = await openStream(url, viewer.token);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.response.headers.get("x-accel-buffering")).toBe("no");
    expect(stream.response.headers.get("content-encoding")).toBeNull();
    await stateChange(7);
    const frame = await stream.next();
    expect(frame).toMatchObject({ event: "monitor", id: expect.stringMatching(/^\d{13}-\d+$/) });
    expect(monitorEvent.parse(frame?.data)).toEqual({
      id: 7,
      change: "state",
      status: "down",
      previousStatus: "up",
      statusSince: "2026-01-31T12:00:00.000Z",
      name: "shop",
      at: "2026-01-31T12:00:00.000Z",
    });
    stream.close();
  });

  test("sends an incident, and skips unreadable messages", async () => {
    const stream = await openStream(url, user.token);
    await system.bus.js.publish("events.monitor.7", new Uint8Array([255, 255, 255]));
    await system.publishEvent({
      case: "incident",
      value: {
        $typeName: "sonde.events.v1.IncidentChanged",
        change: "opened",
        quiet: false,
        incident: create(IncidentSchema, fakeIncident),
      },
    });
    const frame = await stream.next();
    expect(frame?.event).toBe("incident");
    expect(incidentEvent.parse(frame?.data)).toMatchObject({ change: "opened", incident: { id: "m5", kind: "down" } });
    stream.close();
  });

  test("sends live figures without an id", async () => {
    const stream = await openStream(url, user.token);
    await system.publishFigures({ monitorId: 7, status: "up", responseTimeMs: 12, statusSinceMs: atMs, stale: false });
    const frame = await stream.next();
    expect(frame).toMatchObject({ event: "monitor", id: null });
    expect(monitorEvent.parse(frame?.data)).toMatchObject({ id: 7, change: "figures", responseTime: 12 });
    stream.close();
  });

  test("sends the progress and end of a manual check", async () => {
    const stream = await openStream(url, viewer.token);
    await system.publishChecking({ monitorId: 7, attempt: 2, attempts: 3, failed: "Status 500" });
    await system.publishChecking({ monitorId: 7, ended: true });
    const frames = [await stream.next(), await stream.next()];
    expect(frames.map((frame) => frame?.id)).toEqual([null, null]);
    expect(frames.map((frame) => monitorEvent.parse(frame?.data))).toEqual([
      { id: 7, change: "checking", attempt: 2, attempts: 3, failed: "Status 500" },
      { id: 7, change: "checking", ended: true },
    ]);
    stream.close();
  });

  test("resumes at another gateway with the same ids", async () => {
    const first = await openStream(url, user.token);
    await stateChange(1);
    const seen = await first.next();
    first.close();
    await stateChange(2);
    await stateChange(3);
    const other = await startGateway();
    const second = await openStream(`http://127.0.0.1:${other.address.port}`, user.token, seen!.id!);
    const missed = [await second.next(), await second.next()];
    expect(missed.map((frame) => frame?.data)).toMatchObject([{ id: 2 }, { id: 3 }]);
    second.close();
    await other.stop();
  });

  test("sends reset for a foreign id", async () => {
    const stream = await openStream(url, user.token, "1000000000000-3");
    expect(await stream.next()).toMatchObject({ event: "reset" });
    stream.close();
  });

  test("ends with its session only", async () => {
    const [own, others] = [await openStream(url, user.token), await openStream(url, viewer.token)];
    const loggedOut = await fetch(`${url}/api/auth/logout`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(loggedOut.status).toBe(200);
    expect(await own.next()).toBeNull();
    expect((await openStream(url, user.token)).response.status).toBe(401);
    await stateChange(9);
    expect((await others.next())?.data).toMatchObject({ id: 9 });
    others.close();
  });

  test.each([
    ["expires", Date.now() - 1, []],
    ["is not meant for its network any more", undefined, ["192.0.2.0/24"]],
  ])("of a key ends when the key %s", async (_, expiresAtMs, allowFrom) => {
    const secret = `sonde_${"k".repeat(42)}${allowFrom.length}`;
    await system.putKey(user, secret, ["read"]);
    const stream = await openStream(url, secret);
    expect(stream.response.status).toBe(200);
    await system.putKey(user, secret, ["read"], expiresAtMs, allowFrom);
    expect(await stream.next()).toBeNull();
  });

  test("ends when its user loses write access, since it would show too much", async () => {
    const demoted = { ...user, token: "a-token-of-someone-who-is-demoted" };
    await system.putSession(demoted, "user");
    const stream = await openStream(url, demoted.token);
    await system.putSession(demoted, "viewer");
    expect(await stream.next()).toBeNull();
  });

  test("sends reset after the bus lost its data, and continues", async () => {
    const stream = await openStream(url, viewer.token);
    const back = system.reconnected();
    await nats.wipe();
    await back;
    await stateChange(4);
    expect(await stream.next()).toMatchObject({ event: "reset" });
    expect((await stream.next())?.data).toMatchObject({ id: 4 });
    stream.close();
  });
});

test("streams end when the gateway stops", async () => {
  const other = await startGateway();
  const stream = await openStream(`http://127.0.0.1:${other.address.port}`, viewer.token);
  await other.stop();
  expect(await stream.next()).toBeNull();
});
