import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, describe, expect, it } from "vitest";
import { startI18n } from "../../app/i18n.ts";
import { type StateCell, StateBars } from "./state-bars.tsx";

const cells: StateCell[] = [
  { key: "1", length: 5, state: "up", failed: 0, when: "09:00", figures: "100% · 5 checks" },
  { key: "2", length: 5, state: "noData", failed: 0, when: "09:05", figures: "" },
  { key: "3", length: 5, state: "down", failed: 100, when: "09:10", figures: "0% · 5 checks", detail: "Status 503" },
];

beforeAll(async () => {
  await startI18n("en-US");
});

function draw() {
  render(<StateBars label="State" cells={cells} from="09:00" to="now" />);
  return { bars: screen.getByRole("slider", { name: "State" }), user: userEvent.setup() };
}

describe("the state bars", () => {
  it("keep showing a touched bar until the focus moves elsewhere", () => {
    const { bars } = draw();
    bars.getBoundingClientRect = () => ({ left: 0, width: 300 }) as DOMRect;
    const touch = { pointerType: "touch", clientX: 1 };
    fireEvent.pointerDown(bars, touch);
    fireEvent.pointerLeave(bars, touch);
    expect(screen.getByText("All up")).toBeTruthy();
    act(() => bars.blur());
    expect(screen.queryByText("All up")).toBeNull();
  });

  it("hatch cells without data, and make failed ones taller besides their colour", () => {
    const { bars } = draw();
    const looks = [...bars.querySelectorAll("[data-cell]")].map((cell) =>
      [...cell.children].map(({ className }) => className).join(" "),
    );
    expect(looks.map((look) => look.includes("hatched"))).toEqual([false, true, false]);
    // Shapes differ, not only colours: no data is half as tall, failures are tall.
    expect(looks.map((look) => look.includes("h-4"))).toEqual([false, true, false]);
    expect(looks.map((look) => look.includes("h-9"))).toEqual([false, false, true]);
  });

  it("stripe cells in maintenance, mark partial ones, describe both, and have a legend only then", () => {
    const legend = () => screen.queryByText("In maintenance");
    const { unmount } = render(<StateBars label="Other" cells={cells} from="09:00" to="now" />);
    expect(legend()).toBeNull();
    unmount();
    const covered: StateCell[] = [
      { key: "1", length: 5, state: "maintenance", failed: 0, when: "09:00", figures: "", inMaintenance: true },
      { key: "2", length: 5, state: "down", failed: 100, when: "09:05", figures: "0%", inMaintenance: true },
      { key: "3", length: 5, state: "up", failed: 0, when: "09:10", figures: "100%", inMaintenance: true },
      { key: "4", length: 5, state: "up", failed: 0, when: "09:15", figures: "100%" },
    ];
    const bars = () => screen.getByRole("slider", { name: "State" });
    for (const [last, says] of [
      [1, "09:00, In maintenance"],
      [2, "09:05, Down, 0%, Partly in maintenance"],
      [4, "09:15, All up, 100%"],
    ] as const) {
      const shown = render(<StateBars label="State" cells={covered.slice(0, last)} from="09:00" to="now" />);
      expect(bars().getAttribute("aria-valuetext")).toBe(says);
      if (last < 4) shown.unmount();
    }
    expect(legend()).toBeTruthy();
    const drawn = [...bars().querySelectorAll("[data-cell]")];
    expect(drawn.map((cell) => cell.querySelector(".striped") !== null)).toEqual([true, false, false, false]);
    expect(drawn.map((cell) => cell.querySelector('[data-mark="maintenance"]') !== null)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("show the share of failures as a part of their height", () => {
    const shares = [0, 1, 40, 100];
    const some = shares.map((failed, index): StateCell => {
      const state = failed === 0 ? "up" : failed === 100 ? "down" : "partial";
      return { key: String(index), length: 1, state, failed, when: "", figures: "" };
    });
    render(<StateBars label="Parts" cells={some} from="" to="" />);
    const bars = [...screen.getByRole("slider", { name: "Parts" }).querySelectorAll("[data-cell]")];
    expect(bars.map((bar) => bar.getAttribute("data-failed"))).toEqual([null, "1", "4", "6"]);
    const heights = bars.map((bar) => bar.querySelector<HTMLElement>("span > .bg-down")?.style.height);
    expect(heights.map((height) => height && Math.round(Number.parseFloat(height)))).toEqual([undefined, 17, 67, ""]);
  });

  it("are selected by a click, by time, and by Enter", async () => {
    const chosen: number[] = [];
    const uneven = cells.map((cell, index) => ({ ...cell, length: index === 0 ? 10 : 5 }));
    render(
      <StateBars
        label="State"
        cells={uneven}
        from=""
        to=""
        hint="Enter lists"
        onChoose={(index) => chosen.push(index)}
      />,
    );
    const bars = screen.getByRole("slider", { name: "State" });
    bars.getBoundingClientRect = () => ({ left: 0, width: 200 }) as DOMRect;
    fireEvent.click(bars, { clientX: 99 });
    fireEvent.click(bars, { clientX: 101 });
    const user = userEvent.setup();
    await user.tab();
    await user.keyboard("{ArrowRight}{Enter}");
    expect(chosen).toEqual([0, 1, 2]);
    expect(document.getElementById(bars.getAttribute("aria-describedby") ?? "")?.textContent).toBe("Enter lists");
  });

  it("are a single Tab stop, and describe each cell", async () => {
    const { bars, user } = draw();
    await user.tab();
    await waitFor(() => expect(document.activeElement).toBe(bars));
    expect(bars.getAttribute("aria-valuetext")).toBe("09:10, Down, 0% · 5 checks, Status 503");
    await user.keyboard("{ArrowLeft}");
    expect(bars.getAttribute("aria-valuetext")).toBe("09:05, No data");
    await user.keyboard("{Home}{ArrowLeft}");
    expect(bars.getAttribute("aria-valuetext")).toBe("09:00, All up, 100% · 5 checks");
    await user.keyboard("{End}{ArrowRight}");
    expect(bars.getAttribute("aria-valuenow")).toBe("3");
  });

  it("show the exact figures of the selected cell", async () => {
    const { bars, user } = draw();
    await user.tab();
    await user.keyboard("{ArrowLeft}{ArrowRight}");
    expect(bars.parentElement?.textContent).toContain("Status 503");
    await user.keyboard("{Escape}");
    expect(bars.parentElement?.textContent).not.toContain("Status 503");
  });
});
