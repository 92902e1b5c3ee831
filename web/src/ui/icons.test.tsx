import { type CheckType, checkTypes } from "@sonde/proto/http/monitors/kinds";
import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { PulseIcon, KindIcon } from "./icons.tsx";

describe("KindIcon", () => {
  it.each(checkTypes)("renders an icon for %s", (type) => {
    expect(render(<KindIcon type={type} />).container.querySelector("svg")).not.toBeNull();
  });

  it("renders a general icon for a kind without its own", () => {
    const { container } = render(<KindIcon type={"no icon" as CheckType} />);
    expect(container.innerHTML).toBe(render(<PulseIcon />).container.innerHTML);
  });
});
