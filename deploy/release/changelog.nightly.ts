import { expect, test } from "vitest";
import { cutRelease, notesOf } from "./changelog.ts";

const before = "# Changelog\n\nWhat a user notices.\n\n";
const older = "## 1.0.0 (2026-11-27)\n\n- [feature] One.\n";

test("what is not released becomes a version with its date, below an empty section", () => {
  const text = `${before}## Unreleased\n\n- [fix] Two.\n  More of it.\n\n${older}`;
  const cut = cutRelease(text, "1.0.1", "2026-12-01");
  expect(cut).toBe(
    `${before}## Unreleased\n\n## 1.0.1 (2026-12-01)\n\n- [fix] Two.\n  More of it.\n\n## 1.0.0 (2026-11-27)\n\n- [feature] One.\n`,
  );
  expect(notesOf(cut, "1.0.1")).toBe("- [fix] Two.\n  More of it.\n");
  expect(notesOf(cut, "1.0.0")).toBe("- [feature] One.\n");
});

test.each([
  ["a changelog without that section", `${before}${older}`, "has no section Unreleased at its top"],
  ["an empty section", `${before}## Unreleased\n\n${older}`, "is empty: there is nothing to release"],
  [
    "a section that is too long",
    `${before}## Unreleased\n\n${"- [fix] x\n".repeat(41)}`,
    "has 41 lines, and may have 40",
  ],
])("%s is refused", (_name, text, reason) => {
  expect(() => cutRelease(text, "1.0.1", "2026-12-01")).toThrow(reason);
});

test("a version that has no section has no notes", () => {
  expect(() => notesOf(`${before}## Unreleased\n\n${older}`, "1.0")).toThrow("CHANGELOG.md has no section 1.0.");
});
