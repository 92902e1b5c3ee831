import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "@sonde/bundle/packages";
import { programs } from "./programs.ts";

test("the build context contains the entry of every program", () => {
  const entries = [...programs.values()].map(({ entry }) => entry);
  // Git interprets the slash patterns of .dockerignore in the same way. It exits with 1 if no path is ignored.
  const ignored = () =>
    execFileSync(
      "git",
      ["-c", "core.excludesFile=.dockerignore", "check-ignore", "--no-index", "e2e/package.json", ...entries],
      { cwd: root, encoding: "utf8" },
    );

  expect(ignored).toThrow(expect.objectContaining({ status: 1, stdout: "" }));
});
