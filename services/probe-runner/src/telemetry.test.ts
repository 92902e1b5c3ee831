import { registry } from "@sonde/kit/telemetry/metrics";
import { afterAll, expect, it } from "vitest";
import { runnerMetrics, observeRunner, labelWithLocation } from "./telemetry.ts";

afterAll(() => registry.setDefaultLabels({}));

it("labels every metric of the process with the location", async () => {
  labelWithLocation("eu1");
  runnerMetrics.checks.inc({ kind: "tcp", status: "up" });
  const text = await registry.metrics();
  expect(text).toContain('sonde_probe_checks_total{kind="tcp",status="up",location="eu1"} 1\n');
  expect(text).toMatch(/^process_resident_memory_bytes\{location="eu1"\} \d/m);
});

it("reports its state at each scrape, until it is stopped", async () => {
  const stop = observeRunner(
    { inFlight: () => 2, waiting: () => 1 },
    { monitors: () => 3, dueChecksPerSecond: () => 0.5 },
  );
  const names = ["in_flight", "waiting", "monitors", "due_checks_per_second"];
  const reported = async () => {
    const text = await registry.metrics();
    return names.map((name) => new RegExp(`^sonde_probe_${name}(?:\\{\\S*\\})? (\\S+)$`, "m").exec(text)?.[1]);
  };
  expect(await reported()).toEqual(["2", "1", "3", "0.5"]);
  stop();
  expect(await reported()).toEqual(["0", "0", "0", "0"]);
});
