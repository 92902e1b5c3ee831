import { describe, expect, it } from "vitest";
import { dashboard, incident } from "../../testing/fixtures.ts";
import { attentionRows } from "./attention-rows.ts";

const [monitor] = dashboard.attention;
const of = (id: number) => ({ ...monitor!, id });
const keys = (...given: Parameters<typeof attentionRows>) => attentionRows(...given).map(({ key }) => key);

describe("the attention list", () => {
  it("starts with the worst, ends with acknowledged incidents, and otherwise keeps the server's order", () => {
    const acknowledgedAt = "2026-01-02T09:10:00Z";
    const open = [
      { ...incident, id: "m1", acknowledgedAt },
      { ...incident, id: "a2", kind: "threshold" as const },
      { ...incident, id: "m3", kind: "stale" as const },
      { ...incident, id: "m4" },
      { ...incident, id: "a5", kind: "offline" as const },
    ];
    expect(keys({ open, attention: [] })).toEqual(["m4", "a5", "m3", "a2", "m1"]);
  });

  it("combines a monitor in a bad state with its incident, or gives it its own row", () => {
    const attention = [of(7), { ...of(8), stale: true }, { ...of(9), status: "up" as const, flapping: true }];
    const rows = attentionRows({ open: [incident], attention });
    expect(rows.map(({ key, kind }) => [key, kind])).toEqual([
      ["m3", "down"],
      ["monitor 8", "stale"],
      ["monitor 9", "flapping"],
    ]);
    expect(rows[0]?.monitor).toBe(attention[0]);
  });

  it("combines many incidents with the same cause", () => {
    const open = [1, 2, 3, 4, 5].map((id) => ({ ...incident, id: `m${id}`, target: { ...incident.target, id } }));
    const [row, ...others] = attentionRows({ open, attention: [] });
    expect([row?.incident?.id, row?.alike?.length, others]).toEqual(["m1", 5, []]);
  });

  it("omits healthy monitors, and does not confuse agents with monitors of the same id", () => {
    const attention = [{ ...of(7), status: "up" as const }, of(3)];
    const open = [{ ...incident, id: "a1", target: { type: "agent" as const, id: 3, name: "web-1" } }];
    expect(attentionRows({ open, attention }).map(({ key, monitor: own }) => [key, own?.id])).toEqual([
      ["a1", undefined],
      ["monitor 3", 3],
    ]);
    expect(keys({ open: null, attention: null })).toEqual([]);
  });

  it("put a critical alert of another system with the outages, and others below", () => {
    const alert = (id: string, severity: "critical" | "info") =>
      ({ ...incident, id, kind: "external", severity, cause: id }) as const;
    const open = [
      alert("m20", "info"),
      { ...incident, id: "m21", kind: "stale" as const, cause: "x" },
      alert("m22", "critical"),
    ];
    const rows = attentionRows({ open, attention: [] });
    expect(rows.map(({ key, kind }) => [key, kind])).toEqual([
      ["m22", "down"],
      ["m21", "stale"],
      ["m20", "external"],
    ]);
  });
});
