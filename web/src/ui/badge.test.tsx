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
    expect(await words("en-US", "list")).toEqual(["Up", "Down", "Pending", "Paused", "No data"]);
    expect(await words("en-US", "detail")).toEqual(["Normal", "Failure", "Pending", "Paused", "No data"]);
    expect(await words("zh-CN", "detail")).toEqual(["正常", "故障", "等待中", "已暂停", "无数据"]);
  });

  it("shows a stale or missing state as no data, but keeps paused", () => {
    expect(shownState("up", true)).toBe("noData");
    expect(shownState("down", true)).toBe("noData");
    expect(shownState("paused", true)).toBe("paused");
    expect(shownState("pending", true)).toBe("noData");
    expect(shownState("up", false)).toBe("up");
  });
});
