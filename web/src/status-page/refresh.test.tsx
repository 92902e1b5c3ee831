import { demoSnapshot } from "@sonde/status-page/testing/demo-status";
import { beforeEach, describe, expect, it } from "vitest";
import { initBars } from "./bars.ts";
import { openDemo, parseDemo, service, strip } from "./page.testing.ts";
import { morph } from "./refresh.ts";

beforeEach(() => {
  openDemo();
  initBars();
});

const renamed = () =>
  parseDemo({
    snapshot: {
      ...demoSnapshot,
      monitors: demoSnapshot.monitors.map((one) => (one.id === 1 ? { ...one, name: "Shop window" } : one)),
    },
  });

describe("a newer document", () => {
  it("keeps what is open or closed", () => {
    const days = service("m2").querySelector("details")!;
    days.open = true;
    document.querySelector<HTMLDetailsElement>(".group:last-of-type")!.open = false;
    morph(renamed());
    expect(service("m2").querySelector("details")).toBe(days);
    expect(days.open).toBe(true);
    expect(document.querySelector<HTMLDetailsElement>(".group:last-of-type")!.open).toBe(false);
    expect(service("m1").querySelector("h3")?.textContent).toBe("Shop window");
  });

  it("does not close groups when incidents or maintenance appear above them", () => {
    const quiet = { ...demoSnapshot, incidents: [], maintenance: [] };
    for (const changes of [{ incidents: demoSnapshot.incidents }, { maintenance: demoSnapshot.maintenance }]) {
      openDemo({ snapshot: quiet });
      initBars();
      morph(parseDemo({ snapshot: { ...quiet, ...changes } }));
      const groups = [...document.querySelectorAll<HTMLDetailsElement>(".group")];
      expect(groups.map(({ open }) => open)).toEqual(groups.map(() => true));
    }
  });

  it("keeps the focus and the selected day of a strip", () => {
    strip("m2").setAttribute("aria-valuenow", "12");
    strip("m2").focus();
    morph(renamed());
    expect(document.activeElement).toBe(strip("m2"));
    expect(strip("m2").getAttribute("role")).toBe("slider");
    expect(strip("m2").getAttribute("aria-valuenow")).toBe("12");
    expect(strip("m2").getAttribute("aria-valuetext")).toMatch(/^Sat, Sep 5, 2026/);
  });

  it("keeps a partly typed address", () => {
    const field = document.querySelector<HTMLInputElement>("#email")!;
    field.value = "reader@exam";
    morph(renamed());
    expect(document.querySelector<HTMLInputElement>("#email")?.value).toBe("reader@exam");
  });

  it("adds new services with keyboard access, and removes deleted ones", () => {
    const groups = [{ name: null, targets: [{ type: "monitor" as const, id: 77 }] }];
    const monitors = [{ ...demoSnapshot.monitors[1]!, id: 77, name: "New" }];
    morph(parseDemo({ snapshot: { ...demoSnapshot, groups, monitors, agents: [] } }));
    expect(strip("m77").getAttribute("role")).toBe("slider");
    expect(document.querySelector("#m1")).toBeNull();
  });

  it("can be in another language", () => {
    morph(parseDemo({ language: "zh-CN" }));
    expect(document.documentElement.lang).toBe("zh-CN");
    expect(document.querySelector("#headline")?.textContent).toBe("14 项服务中有 1 项故障");
    expect(strip("m1").getAttribute("aria-valuetext")).toContain("可用率 100%");
  });
});
