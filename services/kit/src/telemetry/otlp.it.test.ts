import { startNats } from "@sonde/embedded/nats";
import { authContract } from "@sonde/proto/rpc/auth";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Bus, connectBus, publishFact } from "../bus/connect.ts";
import { AppError } from "../errors.ts";
import { createLog, silentLog } from "../service/log.ts";
import { type OtlpReceiver, startOtlpReceiver } from "./otlp-receiver.testing.ts";
import { client, type Handlers, serve } from "../bus/rpc.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let receiver: OtlpReceiver;
const open: Bus[] = [];

beforeAll(async () => void (nats = await startNats()));
afterAll(() => nats.stop());
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await receiver.stop();
});

async function connect(name: string): Promise<Bus> {
  const bus = await connectBus({ url: nats.url, name, log: silentLog, shrink: 64 });
  open.push(bus);
  return bus;
}

/** Spans are exported when a service stops. */
const stopAll = async () => void (await Promise.all(open.splice(0).map((bus) => bus.close())));

const getUser = "auth/getUser";
const listUsers = "auth/listUsers";

test("a call is one trace: the caller, the service, and the service that it calls", async () => {
  const [asking, first, second] = [await connect("asking"), await connect("first"), await connect("second")];
  const lines: string[] = [];
  const log = createLog("first", "info", { write: (line) => void lines.push(line) });
  await serve(
    second,
    authContract,
    { listUsers: async () => ({ users: [], total: 0 }) } as unknown as Handlers<typeof authContract>,
    { scope: "inner" },
  );
  await serve(first, authContract, {
    getUser: async ({ id }: { id: number }) => {
      log.info("asked");
      await client(first, authContract).listUsers({}, { scope: "inner" });
      return { id, username: "canary-name", role: "admin", status: "active", createdAt: "2026-01-31T12:00:00.000Z" };
    },
  } as unknown as Handlers<typeof authContract>);
  await client(asking, authContract).getUser({ id: 3 });
  await stopAll();

  const [asked] = receiver.find("asking", getUser);
  const [served] = receiver.find("first", getUser);
  const [passedOn] = receiver.find("first", listUsers);
  const [answered] = receiver.find("second", listUsers);
  expect(asked).toMatchObject({ kind: 3, attributes: { "rpc.system": "nats", "rpc.method": "getUser" } });
  expect(asked?.parentSpanId ?? "").toBe("");
  expect(served).toMatchObject({ kind: 2, traceId: asked?.traceId, parentSpanId: asked?.spanId });
  expect(passedOn).toMatchObject({ kind: 3, traceId: asked?.traceId, parentSpanId: served?.spanId });
  expect(answered).toMatchObject({ kind: 2, traceId: asked?.traceId, parentSpanId: passedOn?.spanId });
  expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ traceId: asked?.traceId, spanId: served?.spanId });
  expect(receiver.text()).not.toContain("canary");
});

test("a refusal is recorded with its code; an internal error marks both sides, without its message", async () => {
  const bus = await connect("faulty");
  await serve(bus, authContract, {
    getUser: () => Promise.reject(new AppError("not_found", "User does not exist")),
    listUsers: () => Promise.reject(new Error("canary-cause")),
  } as unknown as Handlers<typeof authContract>);
  await expect(client(bus, authContract).getUser({ id: 3 })).rejects.toMatchObject({ code: "not_found" });
  await expect(client(bus, authContract).listUsers({})).rejects.toMatchObject({ code: "internal" });
  await stopAll();
  for (const span of receiver.find("faulty", getUser)) {
    expect(span.attributes["error.type"]).toBe("not_found");
    expect(span.status.code ?? 0).toBe(0);
  }
  const faults = receiver.find("faulty", listUsers);
  expect(faults.map(({ attributes, status }) => [attributes["error.type"], status.code])).toEqual([
    ["internal", 2],
    ["internal", 2],
  ]);
  expect(receiver.text()).not.toContain("canary");
});

test("a stored fact has a span, and carries its traceparent", async () => {
  const bus = await connect("teller");
  await publishFact(bus, subjects.event("monitor", 4711), new Uint8Array([1]), { id: "canary-id" });
  const stored = await bus.jsm.streams.getMessage(streams.events.name, {
    last_by_subj: subjects.event("monitor", 4711),
  });
  await stopAll();
  const [sent] = receiver.find("teller", "send events");
  expect(sent).toMatchObject({ kind: 4, attributes: { "messaging.destination.name": "events" } });
  expect(stored?.header.get("traceparent")).toBe(`00-${sent?.traceId}-${sent?.spanId}-01`);
  expect(receiver.text()).not.toMatch(/canary|4711/);
});

test("an unavailable collector delays neither work nor shutdown", async () => {
  await receiver.stop();
  const bus = await connect("lonely");
  await publishFact(bus, subjects.event("monitor", 1), new Uint8Array([1]));
  await stopAll();
  expect(bus.nc.isClosed()).toBe(true);
});
