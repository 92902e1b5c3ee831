import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../steps.ts";
import { examples } from "./golden.ts";
import { chart } from "./tools.ts";

type Scaler = { minReplicas: number; maxReplicas: number; metrics: { resource: { target: Record<string, string> } }[] };
type Settings = { resources?: { requests?: Record<string, string>; limits?: Record<string, string> } };

const capacity = await readFile(join(root, "docs/capacity.md"), "utf8");
const values = parse(await readFile(join(chart, "values.yaml"), "utf8")) as {
  defaults: Settings;
  services: Record<string, Settings>;
};
const tableOf = (heading: string) =>
  (capacity.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
const numberIn = (text = "") => Number(text.replaceAll(",", "").match(/[\d.]+/)?.[0]);
const mebibytes = (quantity = "") => numberIn(quantity) * (quantity.endsWith("Gi") ? 1024 : 1);
const millis = (quantity = "") => numberIn(quantity) * (quantity.endsWith("m") ? 1 : 1000);
const settingsOf = (service: string) => ({
  requests: { ...values.defaults.resources?.requests, ...values.services[service]?.resources?.requests },
  limits: { ...values.defaults.resources?.limits, ...values.services[service]?.resources?.limits },
});

/**
 * Returns the desired replicas for a total CPU usage with an AverageValue target and the default tolerance.
 * https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details
 */
function desired({ minReplicas, maxReplicas, metrics }: Scaler, current: number, usedMillis: number): number {
  const target = metrics[0]!.resource.target;
  expect(target).toEqual({ type: "AverageValue", averageValue: "700m" });
  const ratio = usedMillis / (current * millis(target["averageValue"]));
  const replicas = Math.abs(ratio - 1) <= 0.1 ? current : Math.ceil(current * ratio);
  return Math.min(maxReplicas, Math.max(minReplicas, replicas));
}

const renders = await examples();
const production = renders.get("production")!;
const scalerOf = (name: string) =>
  production.find(({ kind, metadata }) => kind === "HorizontalPodAutoscaler" && metadata.name === name)!
    .spec as unknown as Scaler;
const carried = (service: string, unit: RegExp) => {
  const [, , each, , aSecond] = tableOf("Capacity of one core").find(
    ([name, what]) => name === service && unit.test(what ?? ""),
  )!;
  return { eachMs: numberIn(each), aSecond: numberIn(aSecond) };
};

it.each([
  ["probe-runner", /^HTTP check/, "sonde-probe-runner-default"],
  ["agent-ingest", /^report of one/, "sonde-agent-ingest"],
  ["gateway", /^request/, "sonde-gateway"],
])("scales %s as planned in docs/capacity.md: idle, at half load and at full load", (service, unit, name) => {
  const scaler = scalerOf(name);
  const { eachMs, aSecond } = carried(service, unit);
  const full = scaler.maxReplicas * aSecond;

  expect(desired(scaler, 2, 2 * 9)).toBe(scaler.minReplicas);
  expect(desired(scaler, scaler.minReplicas, (full / 2) * eachMs)).toBeGreaterThanOrEqual(scaler.maxReplicas / 2);
  expect(desired(scaler, scaler.maxReplicas / 2, (full / 2) * eachMs)).toBe(scaler.maxReplicas / 2);
  expect(desired(scaler, scaler.maxReplicas, full * eachMs)).toBe(scaler.maxReplicas);
  expect(desired(scaler, scaler.maxReplicas, 3 * full * eachMs)).toBe(scaler.maxReplicas);
});

it("keeps the minimum of runners while 4 of them run 75 checks per second each", () => {
  const scaler = scalerOf("sonde-probe-runner-default");
  expect(desired(scaler, 4, 4 * 62)).toBe(scaler.minReplicas);
});

it.skipIf(!renders.has("httproute-monitoring"))("configures KEDA the same way", () => {
  const scaled = renders.get("httproute-monitoring")!.filter(({ kind }) => kind === "ScaledObject");
  const triggers = scaled.map(({ spec }) =>
    (spec!["triggers"] as { type: string }[]).find(({ type }) => type === "cpu"),
  );

  expect(triggers).toEqual(
    scaled.map(() => ({ type: "cpu", metricType: "AverageValue", metadata: { value: "700m" } })),
  );
  expect(scaled).toHaveLength(2);
});

const requested = tableOf("Chart requests");

it("requests the CPU and memory of docs/capacity.md for every service", () => {
  expect(requested.map(([service = ""]) => service).toSorted()).toEqual(Object.keys(values.services).toSorted());
  for (const [service = "", load, each, used, cpu, measured, memory] of requested) {
    const { requests, limits } = settingsOf(service);
    const computed = (each ?? "") === "–" ? numberIn(used) : numberIn(load) * numberIn(each);

    expect(millis(used), `${service}: computed`).toBeCloseTo(computed, -0.5);
    expect([requests["cpu"], requests["memory"]], service).toEqual([cpu, memory]);
    expect(millis(cpu), `${service}: CPU`).toBeGreaterThanOrEqual(millis(used));
    expect(millis(cpu), `${service}: CPU`).toBeLessThanOrEqual(millis(used) + 20);
    expect(mebibytes(memory), `${service}: memory`).toBeGreaterThanOrEqual(numberIn(measured));
    expect(mebibytes(memory), `${service}: memory`).toBeLessThan(mebibytes(limits["memory"]));
  }
});
