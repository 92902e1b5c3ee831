import type { Language } from "@sonde/proto/http/messages";
import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { startI18n } from "../app/i18n.ts";
import { shownState, shownStates, StatusBadge, type StatusWording } from "./badge.tsx";

async function words(language: Language, wording: StatusWording) {
  await startI18n(language);
  return shownStates.map((state) => {
    const { container } = render(<StatusBadge state={state} wording={wording} />);
    expect(container.querySelector("svg")).toBeTruthy();
    return container.textContent;
  });
}

describe("the status badge", () => {
  it("has an icon and a text for every state: up and down in lists, normal and failure in details", async () => {
    expect(await words("en-US", "list")).toEqual(["Up", "Slow", "Partial", "Down", "Pending", "Paused", "No data"]);
    expect(await words("en-US", "detail")).toEqual([
      "Normal",
      "Slow",
      "Partly down",
      "Failure",
      "Pending",
      "Paused",
      "No data",
    ]);
    expect(await words("zh-CN", "detail")).toEqual(["正常", "缓慢", "部分故障", "故障", "等待中", "已暂停", "无数据"]);
  });

  it("shows a stale or missing state as no data, but keeps paused", () => {
    expect(shownState({ status: "up", stale: true })).toBe("noData");
    expect(shownState({ status: "down", stale: true })).toBe("noData");
    expect(shownState({ status: "paused", stale: true })).toBe("paused");
    expect(shownState({ status: "pending", stale: true })).toBe("noData");
    expect(shownState({ status: "up", stale: false })).toBe("up");
  });

  it("shows what is up as slow if it is, and a group with members down as partial", () => {
    expect(shownState({ status: "up", stale: false, slow: true })).toBe("slow");
    expect(shownState({ status: "up", stale: true, slow: true })).toBe("noData");
    expect(shownState({ status: "down", stale: false, slow: true })).toBe("down");
    expect(shownState({ status: "up", stale: false, state: "partial" })).toBe("partial");
    expect(shownState({ status: "up", stale: false, state: "up" })).toBe("up");
    expect(shownState({ status: "down", stale: false, state: "partial" })).toBe("down");
  });
});
