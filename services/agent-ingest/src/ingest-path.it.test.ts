import { create, toBinary } from "@bufbuild/protobuf";
import { connectBus } from "@sonde/kit/bus/connect";
import { fakeClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import { expect, inject, test } from "vitest";
import { publishFullness, watchIngestPath } from "./ingest-path.ts";
import { eventually } from "./testing/eventually.ts";

test("the ingest path is closed when the last gateway is gone or while one is full, and reopens afterwards", async () => {
  const bus = await connectBus({ url: inject("natsUrl"), name: "test", log: silentLog, shrink: 4 });
  const clock = fakeClock();
  const ingestPath = watchIngestPath(bus, clock);
  clock.advance(60_000);
  expect(ingestPath.isOpen()).toBe(true);
  bus.nc.publish(subjects.gatewayHeartbeat);
  await bus.nc.flush();
  clock.advance(60_000);
  await eventually(() => expect(ingestPath.isOpen()).toBe(false));
  bus.nc.publish(subjects.gatewayHeartbeat);
  await eventually(() => expect(ingestPath.isOpen()).toBe(true));
  const full = toBinary(GatewayHeartbeatSchema, create(GatewayHeartbeatSchema, { full: true }));
  bus.nc.publish(subjects.gatewayHeartbeat, full);
  await eventually(() => expect(ingestPath.isOpen()).toBe(false));
  // Another gateway has capacity, but the full one rejects its agents.
  bus.nc.publish(subjects.gatewayHeartbeat);
  await bus.nc.flush();
  expect(ingestPath.isOpen()).toBe(false);
  clock.advance(3_999);
  bus.nc.publish(subjects.gatewayHeartbeat);
  await bus.nc.flush();
  clock.advance(1);
  await eventually(() => expect(ingestPath.isOpen()).toBe(true));
  ingestPath.stop();
  await bus.close();
});

test("accepted reports keep the ingest path open without a gateway, and a rejected one closes it", async () => {
  const bus = await connectBus({ url: inject("natsUrl"), name: "test", log: silentLog, shrink: 4 });
  const clock = fakeClock();
  const ingestPath = watchIngestPath(bus, clock);
  const fullness = publishFullness(bus);
  bus.nc.publish(subjects.gatewayHeartbeat);
  await bus.nc.flush();
  clock.advance(60_000);
  await eventually(() => expect(ingestPath.isOpen()).toBe(false));
  fullness.accepted();
  await eventually(() => expect(ingestPath.isOpen()).toBe(true));
  fullness.accepted();
  fullness.refused();
  await eventually(() => expect(ingestPath.isOpen()).toBe(false));
  await fullness.stop();
  ingestPath.stop();
  await bus.close();
});
