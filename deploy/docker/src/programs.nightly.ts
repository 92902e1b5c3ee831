import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "@sonde/bundle/packages";
import { programs } from "./programs.ts";

test("the build context of the images holds the entry of every program", () => {
  const entries = [...programs.values()].map(({ entry }) => entry);
  // Git reads patterns with a slash, as .dockerignore has for these, in the same way. It ends with 1 where none matches.
  const ignored = () =>
    execFileSync(
      "git",
      ["-c", "core.excludesFile=.dockerignore", "check-ignore", "--no-index", "e2e/package.json", ...entries],
      { cwd: root, encoding: "utf8" },
    );

  expect(ignored).toThrow(expect.objectContaining({ status: 1, stdout: "" }));
});
