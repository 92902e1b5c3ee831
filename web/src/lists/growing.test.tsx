import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useGrowing } from "./growing.ts";

function Rows({ length }: { length: number }) {
  const { count, restPx, end } = useGrowing<HTMLDivElement>(length, 100, "name");
  return (
    <>
      <p>{`${count} rows, ${restPx} px`}</p>
      {restPx > 0 && <div ref={end} />}
    </>
  );
}

describe("a long list", () => {
  beforeEach(() => {
    const observer = { observe: () => {}, disconnect: () => {} };
    vi.stubGlobal("IntersectionObserver", function IntersectionObserver() {
      return observer;
    });
    vi.stubGlobal("innerHeight", 1000);
  });
  afterEach(() => void vi.unstubAllGlobals());

  it("is rendered whole up to 50 rows, for printing and the browser's search", async () => {
    render(<Rows length={50} />);
    expect(await screen.findByText("50 rows, 0 px")).toBeTruthy();
  });

  it("fills only the window if it is longer", async () => {
    render(<Rows length={51} />);
    expect(await screen.findByText("10 rows, 4100 px")).toBeTruthy();
    await new Promise((resolve) => setTimeout(resolve));
    expect(screen.getByText("10 rows, 4100 px")).toBeTruthy();
  });
});
