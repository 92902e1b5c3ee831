import { registry } from "@sonde/kit/telemetry/metrics";
import { afterAll, expect, it } from "vitest";
import { metrics, observe, tellLocation } from "./telemetry.ts";

afterAll(() => registry.setDefaultLabels({}));

it("tells the location with every metric of the process", async () => {
  tellLocation("eu1");
  metrics.checks.inc({ kind: "tcp", status: "up" });
  const text = await registry.metrics();
  expect(text).toContain('sonde_probe_checks_total{kind="tcp",status="up",location="eu1"} 1\n');
  expect(text).toMatch(/^process_resident_memory_bytes\{location="eu1"\} \d/m);
});

it("tells what is due at each scrape, until it is stopped", async () => {
  const stop = observe({ inFlight: () => 0, waiting: () => 0 }, { monitors: () => 3, dueASecond: () => 0.5 });
  const due = async () => /^sonde_probe_due_checks_per_second\S* (\S+)$/m.exec(await registry.metrics())?.[1];
  expect(await due()).toBe("0.5");
  stop();
  expect(await due()).toBe("0");
});
