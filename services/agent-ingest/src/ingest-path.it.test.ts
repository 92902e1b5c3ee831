import { create, toBinary } from "@bufbuild/protobuf";
import { connectBus } from "@sonde/kit/bus/connect";
import { fakeClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { GatewayHeartbeatSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import { expect, inject, test } from "vitest";
import { publishFullness, watchIngestPath } from "./ingest-path.ts";
import { eventually } from "./testing/eventually.ts";

test("the way of agents is closed once the last gateway fell silent or while one is full, and open again afterwards", async () => {
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
  // Another gateway has room, but agents that report to the full one are refused.
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

test("reports that come without a gateway keep the way of agents open, and one that is refused closes it", async () => {
  const bus = await connectBus({ url: inject("natsUrl"), name: "test", log: silentLog, shrink: 4 });
  const clock = fakeClock();
  const ingestPath = watchIngestPath(bus, clock);
  const fullness = publishFullness(bus);
  // The last gateway left.
  bus.nc.publish(subjects.gatewayHeartbeat);
  await bus.nc.flush();
  clock.advance(60_000);
  await eventually(() => expect(ingestPath.isOpen()).toBe(false));
  fullness.took();
  await eventually(() => expect(ingestPath.isOpen()).toBe(true));
  fullness.took();
  fullness.refused();
  await eventually(() => expect(ingestPath.isOpen()).toBe(false));
  await fullness.stop();
  ingestPath.stop();
  await bus.close();
});
