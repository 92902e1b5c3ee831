import type { MonitorEvent } from "@sonde/proto/http/events";
import { describe, expect, it } from "vitest";
import { monitor } from "../../testing/fixtures.ts";
import { applyToMonitor, applyToPage } from "./api.ts";

const figures = (part: Partial<Extract<MonitorEvent, { change: "figures" }>>): MonitorEvent => ({
  id: 7,
  change: "figures",
  slow: false,
  status: "up",
  responseTime: 50,
  lastCheckedAt: "2026-01-02T10:05:00Z",
  nextCheckAt: "2026-01-02T10:10:00Z",
  statusSince: monitor.statusSince,
  stale: false,
  flapping: false,
  ...part,
});

describe("live events of a monitor", () => {
  it("update its figures and clear an old error", () => {
    const shown = { ...monitor, lastError: "no answer", stale: true };
    applyToMonitor(shown, figures({}));
    expect(shown).toMatchObject({
      responseTime: 50,
      stale: false,
      flapping: false,
      lastCheckedAt: "2026-01-02T10:05:00Z",
      name: "Shop API",
    });
    expect(shown).not.toHaveProperty("lastError");
    expect(shown).not.toHaveProperty("change");
  });

  it("are applied if they are much older, because the server's clock was set back", () => {
    const shown = { ...monitor };
    const before = new Date(Date.parse(monitor.lastCheckedAt ?? "") - 50_000).toISOString();
    applyToMonitor(shown, figures({ lastCheckedAt: before, status: "down" }));
    expect(shown).toMatchObject({ status: "down", lastCheckedAt: before });
  });

  it("are ignored if they are older than the data or of another monitor", () => {
    const shown = { ...monitor };
    const justBefore = new Date(Date.parse(monitor.lastCheckedAt ?? "") - 5_000).toISOString();
    applyToMonitor(shown, figures({ lastCheckedAt: justBefore }));
    applyToMonitor(shown, figures({ id: 8 }));
    applyToMonitor(shown, {
      id: 7,
      change: "state",
      status: "down",
      statusSince: "2025-12-01T00:00:00Z",
      at: "2025-12-01T00:00:00Z",
    });
    expect(shown).toEqual(monitor);
  });

  it("update its state", () => {
    const shown = { ...monitor };
    applyToMonitor(shown, { id: 7, change: "state", status: "down", previousStatus: "up", at: "2026-01-02T10:06:00Z" });
    expect(shown).toMatchObject({ status: "down", statusSince: "2026-01-02T10:06:00Z" });
  });

  it("remove a deleted monitor from the page, and refetch if rows may have changed", () => {
    const page = { monitors: [monitor, { ...monitor, id: 8 }], total: 2 };
    expect(applyToPage(page, figures({ id: 8 }))).toBe(false);
    expect(applyToPage(page, { id: 7, change: "deleted", at: "2026-01-02T10:06:00Z" })).toBe(true);
    expect(page).toMatchObject({ monitors: [{ id: 8 }], total: 1 });
    expect(applyToPage(page, { id: 9, change: "created", at: "2026-01-02T10:06:00Z" })).toBe(true);
  });
});
