import { startNats } from "@sonde/embedded/nats";
import { authContract } from "@sonde/proto/rpc/auth";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { silentLog } from "../service/log.ts";
import { registry } from "../telemetry/metrics.ts";
import { type Bus, connectBus, publishFact } from "./connect.ts";
import { pullDurable } from "./durable.ts";
import { followStream } from "./follow.ts";
import { client, type Handlers, serve } from "./rpc.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "telemetry-test", log: silentLog, shrink: 64 });
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
});

const metrics = async (start: string) =>
  (await registry.metrics()).split("\n").filter((line) => line.startsWith(start));

test("calls are counted on both sides by outcome, with one label for unknown methods", async () => {
  registry.resetMetrics();
  await serve(
    bus,
    authContract,
    {
      getUser: async ({ id }: { id: number }) => ({
        id,
        username: "ada",
        role: "admin",
        status: "active",
        createdAt: "2026-01-31T12:00:00.000Z",
      }),
      listUsers: () => Promise.reject(new AppError("forbidden", "This method is not allowed")),
    } as unknown as Handlers<typeof authContract>,
    { scope: "telemetry" },
  );
  const auth = client(bus, authContract, { scope: "telemetry" });
  await auth.getUser({ id: 3 });
  await expect(auth.listUsers({})).rejects.toMatchObject({ code: "forbidden" });
  await bus.nc.request(subjects.rpc(authContract.name, "AnythingAtAll", "telemetry"), new Uint8Array());
  await expect(auth.getUser({ id: 3 }, { scope: "nobody" })).rejects.toMatchObject({ code: "unavailable" });

  const label = 'service="auth"';
  expect((await metrics("sonde_rpc_server_seconds_count")).toSorted()).toEqual([
    `sonde_rpc_server_seconds_count{${label},method="getUser",code="ok"} 1`,
    `sonde_rpc_server_seconds_count{${label},method="listUsers",code="forbidden"} 1`,
    `sonde_rpc_server_seconds_count{${label},method="other",code="internal"} 1`,
  ]);
  expect((await metrics("sonde_rpc_client_seconds_count")).toSorted()).toEqual([
    `sonde_rpc_client_seconds_count{${label},method="getUser",code="ok"} 1`,
    `sonde_rpc_client_seconds_count{${label},method="getUser",code="unavailable"} 1`,
    `sonde_rpc_client_seconds_count{${label},method="listUsers",code="forbidden"} 1`,
  ]);
});

test("the lag of an ordered reader is the number of unhandled messages", async () => {
  const release = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<void>();
  let count = 0;
  for (let id = 0; id < 5; id++) await publishFact(bus, subjects.event("monitor", id), new Uint8Array([1]));
  const following = followStream(bus, {
    stream: streams.events.name,
    from: "first",
    onMessage: async () => {
      began.resolve();
      await release.promise;
      count += 1;
      if (count === 5) handled.resolve();
    },
  });
  const lag = () => metrics('sonde_stream_lag_messages{stream="EVENTS"');
  await began.promise;
  expect(await lag()).toEqual(['sonde_stream_lag_messages{stream="EVENTS",reader="telemetry-test"} 5']);
  release.resolve();
  await handled.promise;
  await expect.poll(lag).toEqual(['sonde_stream_lag_messages{stream="EVENTS",reader="telemetry-test"} 0']);
  await following.stop();
  expect(await lag()).toEqual([]);
});

test("the lag of a durable consumer includes unpulled and unacknowledged messages", async () => {
  const taken = Promise.withResolvers<void>();
  const acks: (() => void)[] = [];
  for (let id = 0; id < 3; id++) await publishFact(bus, subjects.results(id, "default"), new Uint8Array([1]));
  const pulling = pullDurable(bus, {
    stream: streams.results.name,
    durable: "telemetry-test",
    room: async () => {},
    onMessage: ({ ack }) => {
      acks.push(ack);
      if (acks.length === 3) taken.resolve();
    },
  });
  const lag = () => metrics('sonde_stream_lag_messages{stream="RESULTS"');
  await taken.promise;
  expect(await lag()).toEqual(['sonde_stream_lag_messages{stream="RESULTS",reader="telemetry-test"} 3']);
  acks.forEach((ack) => ack());
  await expect.poll(lag).toEqual(['sonde_stream_lag_messages{stream="RESULTS",reader="telemetry-test"} 0']);
  await pulling.stop();
});
