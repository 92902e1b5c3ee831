import { describe, expect, it } from "vitest";
import { monitor, result } from "../../../testing/fixtures.ts";
import { whyStateDiffers } from "./check-panel.tsx";

const checked = { ...monitor, lastCheckedAt: result.startedAt };
const failed = { ...result, status: "down" as const };

describe("a manual check and the monitor's state", () => {
  it("need no explanation if they agree", () => {
    expect(whyStateDiffers(checked, result)).toBeUndefined();
    expect(whyStateDiffers({ ...checked, status: "down" }, failed)).toBeUndefined();
  });

  it("differ while paused, while flapping, or if other locations disagree", () => {
    expect(whyStateDiffers({ ...checked, status: "paused" }, failed)).toBe("paused");
    expect(whyStateDiffers({ ...checked, status: "down", flapping: true }, result)).toBe("flapping");
    expect(whyStateDiffers({ ...checked, locations: ["eu", "us"] }, failed)).toBe("locations");
    expect(whyStateDiffers(checked, failed)).toBe("undecided");
  });

  it("are not compared after later checks changed the state", () => {
    const later = { ...monitor, lastCheckedAt: "2026-01-02T10:05:00Z" };
    expect(whyStateDiffers(later, failed)).toBe("outdated");
    expect(whyStateDiffers({ ...later, status: "down" }, failed)).toBeUndefined();
  });
});
