import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { initBars, watchBars } from "./bars.ts";
import { openDemo, service, strip } from "./page.testing.ts";

beforeAll(() => watchBars());
beforeEach(() => {
  openDemo();
  initBars();
});

const words = (id: string) => strip(id).getAttribute("aria-valuetext");
function press(id: string, ...keys: string[]): void {
  for (const key of keys)
    strip(id).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}
const tip = () => document.querySelector<HTMLElement>("#tip");

describe("a strip of bars", () => {
  it("is a single Tab stop with the service's name", () => {
    for (const bars of document.querySelectorAll(".service .bars")) {
      expect(bars.getAttribute("role")).toBe("slider");
      expect(bars.getAttribute("tabindex")).toBe("0");
      expect(bars.querySelector("[tabindex]")).toBeNull();
    }
    expect(strip("m4").getAttribute("aria-label")).toBe("Search: the last 90 days");
    expect(strip("m4").getAttribute("aria-readonly")).toBe("true");
  });

  it("starts today, with date, uptime, coverage and incidents", () => {
    expect(strip("m4").getAttribute("aria-valuenow")).toBe("90");
    expect(words("m4")).toBe("Sun, Nov 22, 2026, 93.10% uptime, 98.90% coverage, 1 incident");
  });

  it("is moved through by arrows, Home and End, within its ends", () => {
    press("m4", "ArrowLeft");
    expect(words("m4")).toBe("Sat, Nov 21, 2026, 100% uptime, coverage at least 99.5%, no incidents");
    press("m4", "ArrowRight", "ArrowRight");
    expect(strip("m4").getAttribute("aria-valuenow")).toBe("90");
    press("m4", "Home", "ArrowLeft");
    expect(strip("m4").getAttribute("aria-valuenow")).toBe("1");
    expect(words("m4")).toMatch(/^Tue, Aug 25, 2026/);
    press("m4", "End");
    expect(words("m4")).toMatch(/^Sun, Nov 22, 2026/);
  });

  it.each([
    ["m6", 9, "Fri, Nov 13, 2026, 1 day of maintenance"],
    ["m6", 10, "Thu, Nov 12, 2026, 1 day of maintenance"],
    ["m8", 20, "Mon, Nov 2, 2026, no data"],
    ["m7", 3, "Thu, Nov 19, 2026, 1 day not monitored"],
    ["m9", 40, "Tue, Oct 13, 2026, not monitored yet"],
  ])("of %s describes the day %d days ago like the list", (id, ago, text) => {
    press(id, ...Array.from({ length: ago }, () => "ArrowLeft"));
    expect(words(id)).toBe(text);
  });

  it("shows a tooltip with the same text while moving, until Escape", () => {
    press("m4", "Home", "End");
    expect(tip()?.hidden).toBe(false);
    expect([...tip()!.querySelectorAll("b, span")].map(({ textContent }) => textContent).join(", ")).toBe(words("m4"));
    expect(service("m4").querySelectorAll(".at")).toHaveLength(1);
    press("m4", "Escape");
    expect(tip()?.hidden).toBe(true);
    expect(service("m4").querySelector(".at")).toBeNull();
  });

  it("hides its tooltip when it loses the focus", () => {
    press("m4", "Home");
    strip("m4").dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
    expect(tip()?.hidden).toBe(true);
  });

  it("uses the page's language", () => {
    openDemo({ language: "zh-CN" });
    initBars();
    expect(words("m4")).toBe("2026年11月22日周日，可用率 93.10%，覆盖率 98.90%，1 起事件");
  });
});
