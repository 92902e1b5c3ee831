import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { ChartCursor } from "./chart-cursor.tsx";

const edges = { top: 0, right: 0, bottom: 0, left: 0 };

function draw() {
  render(
    <ChartCursor
      label="Response time"
      places={[0, 0.5, 1]}
      edges={edges}
      textOf={(step) => `step ${step}`}
      tipOf={(step) => <p data-testid="tip">{`tip ${step}`}</p>}
    />,
  );
  const slider = screen.getByRole("slider", { name: "Response time" });
  slider.getBoundingClientRect = () => ({ left: 0, width: 200 }) as DOMRect;
  return { slider, user: userEvent.setup() };
}
const tip = () => screen.queryByTestId("tip")?.textContent;

describe("the cursor of a chart", () => {
  it("walks the steps by keyboard, says each, and stays within the ends", async () => {
    const { slider, user } = draw();
    await user.tab();
    expect(document.activeElement).toBe(slider);
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

  it("stands at the step that is nearest to the pointer, and goes with it", () => {
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
});
