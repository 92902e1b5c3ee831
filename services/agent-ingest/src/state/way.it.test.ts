import { connectBus } from "@sonde/kit/bus";
import { fakeClock } from "@sonde/kit/clock";
import { silentLog } from "@sonde/kit/log";
import { subjects } from "@sonde/proto/subjects";
import { expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { watchWay } from "./way.ts";

test("the way of agents is closed once the last gateway fell silent, and open again at the next beat", async () => {
  const bus = await connectBus({ url: inject("natsUrl"), name: "test", log: silentLog, shrink: 4 });
  const clock = fakeClock();
  const way = watchWay(bus, clock);
  clock.advance(60_000);
  expect(way.isOpen()).toBe(true);
  bus.nc.publish(subjects.gatewayBeat);
  await bus.nc.flush();
  clock.advance(60_000);
  await eventually(() => expect(way.isOpen()).toBe(false));
  bus.nc.publish(subjects.gatewayBeat);
  await eventually(() => expect(way.isOpen()).toBe(true));
  way.stop();
  await bus.close();
});
