import type { PublicMonitor, BadgeKind } from "@sonde/proto/http/status/status";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { fakeSnapshot } from "../testing/snapshot.ts";
import { makeStatusBadge } from "./badges.ts";

const monitor: PublicMonitor = { ...fakeSnapshot.monitors[0]!, status: "up" };
const make = (kind: BadgeKind, changes: Partial<PublicMonitor> = {}, language: "zh-CN" | "en-US" = "en-US") =>
  makeStatusBadge(kind, { ...monitor, ...changes }, { showResponseTimes: true }, language)!;

function labelOf(svg: string): string {
  let label = "";
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "svg") label = attributes["aria-label"] ?? "";
  });
  parser.write(svg).close();
  return label;
}

describe("a badge", () => {
  test.each([
    ["status", {}, "Shop: up"],
    ["status", { status: "down" }, "Shop: down"],
    ["status", { status: "slow" }, "Shop: slow"],
    ["status", { name: `<i>"A" & B</i>`, status: "maintenance" }, `<i>"A" & B</i>: maintenance`],
    ["uptime", { uptime: 99.999 }, "90-day uptime: 99.99%"],
    ["uptime", { uptime: 100 }, "90-day uptime: 100%"],
    ["uptime", { uptime: null }, "90-day uptime: no data"],
    ["response", { responseTime: 12.4 }, "response time: 12 ms"],
    ["response", { responseTime: undefined }, "response time: no data"],
  ] as [BadgeKind, Partial<PublicMonitor>, string][])("of %s for %j says %s", (kind, changes, said) => {
    expect(labelOf(make(kind, changes))).toBe(said);
  });

  test("has colours for good, bad and neither, with text next to them", () => {
    const [up, down, paused] = (["up", "down", "paused"] as const).map((status) => make("status", { status }));
    const colors = [up, down, paused].map((svg) => /fill="(#(?!374151|fff|010101)[0-9a-f]{6})"/.exec(svg!)?.[1]);
    expect(new Set(colors).size).toBe(3);
    expect(colors).not.toContain(undefined);
  });

  test("can be Chinese", () => {
    expect(labelOf(make("status", {}, "zh-CN"))).toBe("Shop: 正常");
    expect(labelOf(make("uptime", {}, "zh-CN"))).toBe("90 天可用率: 99.5%");
  });

  test("of response times does not exist if the page hides them", () => {
    expect(makeStatusBadge("response", monitor, { showResponseTimes: false }, "en-US")).toBeNull();
  });
});
