import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { ChartCursor } from "./chart-cursor.tsx";

const edges = { top: 0, right: 0, bottom: 0, left: 0 };

function draw(onSpan?: (from: number, to: number) => void) {
  render(
    <ChartCursor
      label="Response time"
      places={[0, 0.5, 1]}
      edges={edges}
      textOf={(step) => `step ${step}`}
      onSpan={onSpan}
      hint={onSpan && "Enter at both ends"}
      tipOf={(step) => <p data-testid="tip">{`tip ${step}`}</p>}
    />,
  );
  const slider = screen.getByRole("slider", { name: "Response time" });
  slider.getBoundingClientRect = () => ({ left: 0, width: 200 }) as DOMRect;
  return { slider, user: userEvent.setup() };
}
const tip = () => screen.queryByTestId("tip")?.textContent;

describe("the chart cursor", () => {
  it("moves by keyboard within the chart and announces each step", async () => {
    const { slider, user } = draw();
    await user.tab();
    await waitFor(() => expect(document.activeElement).toBe(slider));
    await user.keyboard("{ArrowLeft}");
    expect([slider.getAttribute("aria-valuetext"), tip()]).toEqual(["step 1", "tip 1"]);
    await user.keyboard("{Home}{ArrowLeft}");
    expect(tip()).toBe("tip 0");
    await user.keyboard("{End}{ArrowRight}");
    expect(tip()).toBe("tip 2");
    await user.keyboard("{Escape}");
    expect(tip()).toBeUndefined();
    expect(slider.getAttribute("aria-valuetext")).toBe("step 2");
  });

  it("follows the pointer to the nearest step", () => {
    const { slider } = draw();
    for (const [clientX, step] of [
      [10, 0],
      [60, 1],
      [140, 1],
      [190, 2],
    ]) {
      fireEvent.pointerMove(slider, { clientX });
      expect(tip()).toBe(`tip ${step}`);
    }
    fireEvent.pointerLeave(slider);
    expect(tip()).toBeUndefined();
  });

  it("selects a range by dragging in either direction, and ignores clicks", () => {
    const spans: [number, number][] = [];
    const { slider } = draw((from, to) => spans.push([from, to]));
    const drag = (from: number, to: number) => {
      fireEvent.pointerDown(slider, { clientX: from, button: 0, buttons: 1 });
      fireEvent.pointerMove(slider, { clientX: to, buttons: 1 });
      const isDrawn = document.querySelector("[data-span]") !== null;
      fireEvent.pointerUp(slider, { clientX: to });
      return isDrawn;
    };
    expect(drag(50, 150)).toBe(true);
    drag(150, 20);
    drag(70, 71);
    // Positions beyond the chart count as its end.
    drag(100, 500);
    expect(spans).toEqual([
      [0.25, 0.75],
      [0.1, 0.75],
      [0.5, 1],
    ]);
    expect(document.querySelector("[data-span]")).toBeNull();
  });

  it("marks the ends of a range with Enter, and cancels with Escape", async () => {
    const spans: [number, number][] = [];
    const { slider, user } = draw((from, to) => spans.push([from, to]));
    expect(document.getElementById(slider.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
      "Enter at both ends",
    );
    await user.tab();
    await user.keyboard("{Enter}{ArrowLeft}{Escape}");
    expect(document.querySelector("[data-span]")).toBeNull();
    await user.keyboard("{End}{Enter}{ArrowLeft}{Enter}");
    expect(spans).toEqual([[0.5, 1]]);
  });
});
