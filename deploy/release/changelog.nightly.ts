import { expect, test } from "vitest";
import { cutRelease, notesOf } from "./changelog.ts";

const before = "# Changelog\n\nWhat a user notices.\n\n";
const older = "## 1.0.0 (2026-11-27)\n\n### Added\n\n- One.\n";

test("the section Unreleased becomes a version with its date, below an empty section", () => {
  const notes = "### Added\n\n- Two.\n\n### Fixed\n\n- Three.\n";
  const cut = cutRelease(`${before}## Unreleased\n\n${notes}\n${older}`, "1.0.1", "2026-12-01");
  expect(cut).toBe(`${before}## Unreleased\n\n## 1.0.1 (2026-12-01)\n\n${notes}\n${older}`);
  expect(notesOf(cut, "1.0.1")).toBe(notes);
  expect(notesOf(cut, "1.0.0")).toBe("### Added\n\n- One.\n");
});

test.each([
  ["a changelog without that section", `${before}${older}`, "must start with a section Unreleased"],
  ["an empty section", `${before}## Unreleased\n\n${older}`, "is empty: there is nothing to release"],
  [
    "a section that is too long",
    `${before}## Unreleased\n\n### Fixed\n\n${"- x\n".repeat(40)}`,
    "has 41 lines; the maximum is 40",
  ],
  ["entries without a group", `${before}## Unreleased\n\n- x\n`, "need a heading"],
  [
    "an unknown group",
    `${before}## Unreleased\n\n### Fixed\n\n- x\n\n### Misc\n`,
    "is neither an entry nor a group: ### Misc",
  ],
  [
    "an entry of two lines",
    `${before}## Unreleased\n\n### Fixed\n\n- x\n  y\n`,
    "is neither an entry nor a group:   y",
  ],
  [
    "a long entry",
    `${before}## Unreleased\n\n### Fixed\n\n-${" x".repeat(21)}\n`,
    "has 21 words; the maximum is 20: - x",
  ],
])("%s is rejected", (_name, text, reason) => {
  expect(() => cutRelease(text, "1.0.1", "2026-12-01")).toThrow(reason);
});

test("requesting the notes of a version without a section fails", () => {
  expect(() => notesOf(`${before}## Unreleased\n\n${older}`, "1.0")).toThrow("CHANGELOG.md has no section 1.0.");
});
