import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { agentClock } from "./clock.ts";
import { elsewhereCollector } from "./elsewhere.ts";
import { rootsBelow } from "./roots.ts";

test("other systems have the same figures; rates and CPU usage are available from the second collection", async () => {
  const roots = rootsBelow("");
  const collector = elsewhereCollector({ roots, clock: agentClock(roots, "this process") });
  const first = await collector.collect();
  expect(first.cpu?.usage).toBeUndefined();
  const second = await collector.collect();
  expect(second.cpu?.usage).toBeGreaterThanOrEqual(0);
  expect(second.cpu?.cores).toBeGreaterThan(0);
  expect(second.memory?.total).toBeGreaterThan(totalmem() * 0.9);
  expect(second.disks.length).toBeGreaterThan(0);
  expect(second.disks.every((disk) => disk.usage >= 0 && disk.usage <= 100)).toBe(true);
  expect(second.uptime).toBeGreaterThan(0);
  expect(Number.isFinite(second.memory?.usage)).toBe(true);
}, 60_000);
