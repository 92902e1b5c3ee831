import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { headers } from "@nats-io/nats-core";
import { ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { authContract } from "@sonde/proto/rpc/auth";
import { subjects } from "@sonde/proto/subjects";
import { startNats } from "@sonde/embedded/nats";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Bus, busAddress, connectBus, publishFact } from "./connect.ts";
import { AppError } from "../errors.ts";
import { followStream, watchBucket } from "./follow.ts";
import { silentLog } from "../service/log.ts";
import { client, hasNoResponder, serve } from "./rpc.ts";

let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let port: number;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-bus-"));
  nats = await startNats({ dataDir });
  port = Number(new URL(nats.url).port);
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});

afterAll(async () => {
  await bus.close();
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const batch = (monitorId: number) =>
  toBinary(ResultBatchSchema, create(ResultBatchSchema, { results: [{ monitorId }] }));
const idOf = (bytes: Uint8Array) => fromBinary(ResultBatchSchema, bytes).results[0]?.monitorId;

test("the bus reports the address of its current server", () => {
  expect(busAddress(bus)).toEqual({ address: "127.0.0.1", port });
  expect(busAddress({ ...bus, connected: () => false })).toBeUndefined();
});

test("a call returns the handler's response and carries the caller", async () => {
  const served = await serve(bus, authContract, {
    ...refusing,
    getUser: async ({ id }, { actor }) => ({
      id,
      username: actor?.username ?? "nobody",
      role: "admin" as const,
      status: "active" as const,
      createdAt: "2026-01-31T12:00:00.000Z",
    }),
  });
  const auth = client(bus, authContract);
  const actor = { id: 7, username: "小明", role: "admin" } as const;
  expect(await auth.getUser({ id: 3 }, { call: { actor } })).toMatchObject({ id: 3, username: "小明" });
  await served.stop();
});

test("a deadline may be fractional", async () => {
  const served = await serve(bus, authContract, {
    ...refusing,
    getUser: async ({ id }, { timeoutMs }) => ({
      id,
      username: String(timeoutMs),
      role: "admin" as const,
      status: "active" as const,
      createdAt: "2026-01-31T12:00:00.000Z",
    }),
  });
  const answer = await client(bus, authContract).getUser({ id: 3 }, { timeoutMs: 13_000 / 3 });
  expect(answer).toMatchObject({ username: "4334" });
  await served.stop();
});

test("a request too large for a message is refused before sending, and a response too large is an internal error", async () => {
  const served = await serve(bus, authContract, {
    ...refusing,
    getUser: async ({ id }) => ({
      id,
      username: "x".repeat(2 * 2 ** 20),
      role: "admin" as const,
      status: "active" as const,
      createdAt: "2026-01-31T12:00:00.000Z",
    }),
  });
  const auth = client(bus, authContract);
  await expect(auth.createUser({ username: "x".repeat(2 * 2 ** 20), password: "correct horse" })).rejects.toMatchObject(
    { code: "too_large" },
  );
  await expect(auth.getUser({ id: 3 })).rejects.toMatchObject({ code: "internal" });
  await served.stop();
});

test("a handler's AppError arrives complete, other errors as internal without their message", async () => {
  const served = await serve(bus, authContract, {
    ...refusing,
    createUser: async () => {
      throw new AppError("conflict", "Username already exists", {
        details: [{ path: "username", message: "Username already exists" }],
      });
    },
    deleteUser: async () => {
      throw new Error("the pool's password is hunter2");
    },
  });
  const auth = client(bus, authContract);
  await expect(auth.createUser({ username: "bob", password: "correct horse" })).rejects.toMatchObject({
    code: "conflict",
    message: "Username already exists",
    details: [{ path: "username" }],
  });
  const failure = await auth.deleteUser({ id: 1 }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "internal" });
  expect(JSON.stringify(failure) + String(failure)).not.toContain("hunter2");
  await served.stop();
});

test("a call with invalid headers gets a response", async () => {
  const served = await serve(bus, authContract, refusing);
  const head = headers();
  head.set("Sonde-Actor", "%7Bnot json");
  const subject = subjects.rpc(authContract.name, "login");
  const reply = await bus.nc.request(subject, new Uint8Array(), { timeout: 2_000, headers: head });
  expect(reply.headers?.get("Sonde-Failed")).toBe("internal");
  await served.stop();
});

test("a service without servers is unavailable immediately, with its name", async () => {
  const failure = await client(bus, authContract)
    .login({ username: "bob", password: "x", address: "" })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "unavailable", params: { service: "auth" } });
  expect(hasNoResponder(failure)).toBe(true);
});

test("following continues from a position after a server restart, and from the start after the store was wiped", async () => {
  const seen: (number | undefined)[] = [];
  await publishFact(bus, subjects.results(1, "default"), batch(1));
  const first = followStream(bus, {
    stream: "RESULTS",
    subjects: [subjects.results(1, "default")],
    from: "first",
    onMessage: ({ data }) => void seen.push(idOf(data)),
  });
  await vi.waitFor(() => expect(seen).toEqual([1]), 30_000);
  const position = first.position();
  await first.stop();
  await publishFact(bus, subjects.results(1, "default"), batch(2));

  const second = followStream(bus, {
    stream: "RESULTS",
    subjects: [subjects.results(1, "default")],
    from: position ?? "first",
    onMessage: ({ data }) => void seen.push(idOf(data)),
  });
  await vi.waitFor(() => expect(seen).toEqual([1, 2]), 30_000);

  await nats.stop();
  nats = await startNats({ dataDir, port });
  await vi.waitFor(() => expect(bus.connected()).toBe(true), 30_000);
  await publishFact(bus, subjects.results(1, "default"), batch(3));
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]), 30_000);

  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
  nats = await startNats({ dataDir, port });
  await vi.waitFor(() => expect(bus.connected()).toBe(true), 30_000);
  await publishFact(bus, subjects.results(1, "default"), batch(4));
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 3, 4]), 30_000);
  await second.stop();
});

test("a rejected message is delivered to the handler again, and nothing is skipped", async () => {
  let refusals = 2;
  const seen: (number | undefined)[] = [];
  await publishFact(bus, subjects.results(2, "default"), batch(1));
  await publishFact(bus, subjects.results(2, "default"), batch(2));
  const following = followStream(bus, {
    stream: "RESULTS",
    subjects: [subjects.results(2, "default")],
    from: "first",
    onMessage: ({ data }) => {
      if (refusals-- > 0) throw new Error("the database is away");
      seen.push(idOf(data));
    },
  });
  await vi.waitFor(() => expect(seen).toEqual([1, 2]), 30_000);
  await following.stop();
});

test("a watcher receives a bucket's entries, that it is current, and every change", async () => {
  const kv = await bus.kv("sessions");
  await kv.put("a", "1");
  const events: string[] = [];
  const watching = watchBucket(bus, {
    bucket: "sessions",
    onEntry: ({ key, value }) => void events.push(`${key}=${new TextDecoder().decode(value)}`),
    onDelete: (key) => void events.push(`${key} gone`),
    onCurrent: () => void events.push("current"),
  });
  await vi.waitFor(() => expect(events).toEqual(["a=1", "current"]), 30_000);
  await kv.put("b", "2");
  await kv.delete("a");
  await vi.waitFor(() => expect(events).toEqual(["a=1", "current", "b=2", "a gone"]), 30_000);
  await watching.stop();
});

const refuse = async (): Promise<never> => {
  throw new Error("not part of this test");
};
const refusing = {
  register: refuse,
  login: refuse,
  logout: refuse,
  resolveSession: refuse,
  registrationState: refuse,
  people: refuse,
  listUsers: refuse,
  getUser: refuse,
  createUser: refuse,
  updateUser: refuse,
  deleteUser: refuse,
  changePassword: refuse,
  listSessions: refuse,
  endSession: refuse,
  listViews: refuse,
  saveViews: refuse,
};
