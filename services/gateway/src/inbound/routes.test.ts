import { AppError } from "@sonde/kit/errors";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { secretMask } from "@sonde/proto/http/secrets";
import { inboundKey } from "@sonde/proto/streams";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { createPings } from "../pings/pings.ts";
import { createFakes, directServices, fakeMonitor } from "../testing/fakes.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";
import { alertmanagerRequest } from "./testing/requests.ts";

const tokens = {
  alertmanager: "11111111-0000-4000-8000-000000000001",
  grafana: "11111111-0000-4000-8000-000000000002",
  "events-v2": "11111111-0000-4000-8000-000000000003",
  generic: "11111111-0000-4000-8000-000000000004",
};
const unknown = "00000000-0000-4000-8000-000000000000";
const known = new Map(
  Object.entries(tokens).map(([format, token], at) => [
    inboundKey(token),
    { monitorId: 20 + at, creates: false, format },
  ]),
);

type Received = { id: number; alerts: { key: string }[] };
let app: TestApp;
afterEach(() => app.stop());

async function startWith(
  receive: (input: Received) => Promise<{ stored: number }> = async ({ alerts }) => ({ stored: alerts.length }),
  { complete = true, log = silentLog } = {},
) {
  const received: Received[] = [];
  const services = directServices(createFakes());
  const receiveAlerts = async (input: Received) => {
    received.push(input);
    return receive(input);
  };
  const pings = createPings({
    config: testConfig,
    ofHost: () => null,
    targets: { find: (key) => known.get(key), current: () => true, complete: () => complete },
    accepts: () => true,
    store: async () => {},
    monitors: { heartbeatOfSlug: async () => ({ id: 8, created: true }) },
    clock: systemClock,
    log,
  });
  const monitors = { ...services.monitors, receiveAlerts } as typeof services.monitors;
  app = await startTestApp({ pings, services: { ...services, monitors } }, log);
  return {
    received,
    post: (path: string, body: unknown = { title: "a" }) => app.ask("POST", `/api/inbound/${path}`, { body }),
  };
}

test("an alert is answered with 202 once monitors has stored it", async () => {
  const { received, post } = await startWith();
  const answer = await post(tokens.alertmanager, alertmanagerRequest);
  expect(answer).toMatchObject({ status: 202, body: { success: true, stored: 2, message: "Alerts stored" } });
  expect(received).toMatchObject([{ id: 20, alerts: [{ key: "9c3b1f0d2a4e5f60" }, { key: "0a1b2c3d4e5f6071" }] }]);
});

test("a client of Events v2 gets PagerDuty's answer, at the address and below it", async () => {
  const { post } = await startWith();
  const event = { event_action: "resolve", dedup_key: "disk" };
  for (const path of [tokens["events-v2"], `${tokens["events-v2"]}/v2/enqueue`]) {
    const { status, body } = await post(path, event);
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: "success", message: "Event processed", dedup_key: "disk" });
  }
  expect((await post(`${tokens.generic}/v2/enqueue`, event)).status).toBe(404);
});

test("nothing is acknowledged that was not stored", async () => {
  const { post } = await startWith(() => Promise.reject(new AppError("unavailable", "Check failed")));
  const { status, headers } = await post(tokens.generic);
  expect([status, Number(headers.get("retry-after"))]).toEqual([503, 2]);
});

test("errors name the field", async () => {
  const { received, post } = await startWith();
  const { status, body } = await post(tokens.generic, [{ title: "a" }, { titel: "b" }]);
  expect([status, body["errors"]]).toMatchObject([400, [{ path: "1.title" }, { path: "1.titel" }]]);
  expect((await post(tokens.generic, "{ not json")).status).toBe(400);
  expect(received).toEqual([]);
});

test("an unknown address is 404, and 503 while the addresses are still being read", async () => {
  const { post } = await startWith();
  expect((await post(unknown)).status).toBe(404);
  expect((await post("no-uuid")).status).toBe(404);
  await app.stop();
  const waiting = await startWith(undefined, { complete: false });
  const { status, headers } = await waiting.post(unknown);
  expect([status, headers.has("retry-after")]).toEqual([503, true]);
  // A heartbeat's address is not that of an inbound monitor, and vice versa.
  expect((await fetch(`${app.url}/ping/${tokens.generic}`)).status).toBe(503);
});

test("an unknown address is refused before its body is read", async () => {
  const { post } = await startWith();
  const { status } = await post(unknown, "x".repeat(2 ** 20 + 1));
  expect(status).toBe(404);
  expect((await post(tokens.generic, "x".repeat(2 ** 20 + 1))).status).toBe(413);
});

test("many alerts are stored in messages that fit on the bus", async () => {
  const { received, post } = await startWith();
  const labels = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`label${at}`, "v".repeat(40)]));
  const alerts = Array.from({ length: 800 }, (_, at) => ({ title: `alert ${at}`, labels }));
  expect((await post(tokens.generic, alerts)).body).toMatchObject({ stored: 800 });
  expect(received.length).toBeGreaterThan(1);
  for (const { alerts: part } of received) expect(JSON.stringify(part).length).toBeLessThan(300 * 1024);
});

test("a flood is bounded by requests and alerts of its monitor, and other monitors are not affected", async () => {
  const { received, post } = await startWith();
  const flood = Array.from({ length: 1_000 }, (_, at) => ({ title: `${at}` }));
  const answers: TestAnswer[] = [];
  for (let times = 0; times < 10; times += 1) answers.push(await post(tokens.generic, flood));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(5);
  for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  const stored = received.flatMap(({ id, alerts }) => (id === 23 ? alerts : []));
  expect(stored.length).toBe(1_000 * (10 - refused.length));
  const requests = await Promise.all(Array.from({ length: 3 }, () => post(tokens.alertmanager, alertmanagerRequest)));
  expect(requests.map(({ status }) => status)).toEqual([202, 202, 202]);
});
type TestAnswer = Awaited<ReturnType<TestApp["ask"]>>;

test("at most four requests of a monitor are in progress", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { received, post } = await startWith(async () => {
    await held;
    return { stored: 1 };
  });
  const first = Array.from({ length: 4 }, () => post(tokens.generic));
  while (received.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  const { status, headers } = await post(tokens.generic);
  expect([status, headers.has("retry-after")]).toEqual([503, true]);
  release();
  expect((await Promise.all(first)).map((one) => one.status)).toEqual([202, 202, 202, 202]);
  expect((await post(tokens.generic)).status).toBe(202);
});

test("no address appears in the log", async () => {
  let logged = "";
  const log = pino({ level: "debug" }, { write: (line: string) => void (logged += line) });
  const { post } = await startWith(() => Promise.reject(new Error("broken")), { log });
  await post(tokens.generic);
  await post(`${unknown}/v2/enqueue`);
  await post(`${unknown}/elsewhere`);
  expect(logged).toContain("/api/inbound/…");
  for (const token of [tokens.generic, unknown]) expect(logged).not.toContain(token);
});

test("the address is shown with the host to users who may write, and masked for viewers", async () => {
  const { timeout: _timeout, ...facts } = fakeMonitor(7);
  const inbound = {
    id: facts.id,
    name: facts.name,
    type: "inbound",
    format: "generic",
    inboundUrl: "/api/inbound/abc",
  };
  const services = directServices(createFakes());
  const monitors = { ...services.monitors, getMonitor: async () => inbound as never };
  app = await startTestApp({ services: { ...services, monitors } });
  const of = async (as: "user" | "viewer") => {
    const response = await fetch(`${app.url}/api/monitors/7`, {
      headers: { authorization: `Bearer ${(await import("../testing/principals.ts")).principals[as].token}` },
    });
    return ((await response.json()) as { monitor: { inboundUrl: string } }).monitor.inboundUrl;
  };
  expect(await of("user")).toBe(`${app.url}/api/inbound/abc`);
  expect(await of("viewer")).toBe(secretMask);
});
