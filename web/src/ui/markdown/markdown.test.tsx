import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Markdown } from "./markdown.tsx";

describe("Markdown of users", () => {
  it("renders lists, code, and bare URLs as links", async () => {
    render(<Markdown text={"1. `restart`\n2. see https://wiki.example/runbook\n\n---\n- a\n  - b"} />);
    expect((await screen.findByText("restart")).tagName).toBe("CODE");
    expect(screen.getByRole("link", { name: "https://wiki.example/runbook" })).toBeTruthy();
    expect(screen.getAllByRole("listitem")).toHaveLength(4);
  });

  it.each([
    ["quotes", ">".repeat(4000)],
    ["lists", "1. ".repeat(1300)],
    ["both", "- > ".repeat(1000)],
  ])("is shown as text if it nests %s too deeply, instead of freezing the page", (_what, text) => {
    render(<Markdown text={text} />);
    expect(screen.getByText(text.trim(), { trim: true }).tagName).toBe("P");
  });
});
