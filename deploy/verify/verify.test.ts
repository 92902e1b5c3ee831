import { expect, it } from "vitest";
import { findDeadPaths, pathsIn } from "./docs/paths.ts";
import { hostsIn } from "./lock-hosts.ts";
import { runSteps, systemTool } from "./steps.ts";

const top = ["README.md", "services", "docs"];
const paths = (text: string) => pathsIn(text, top).map(({ path }) => path);

it("finds paths in backticks and links", () => {
  expect(paths("See `services/kit/src/bus/connect.ts` and [the ADR](docs/adr/1.md#why).")).toEqual([
    "docs/adr/1.md",
    "services/kit/src/bus/connect.ts",
  ]);
});

it("all paths in documents exist", async () => {
  expect(await findDeadPaths()).toBe("");
});

it("returns the line of a path", () => {
  expect(pathsIn("one\n\n`services/none`", top)).toEqual([{ path: "services/none", line: 3 }]);
});

it("ignores addresses, routes, packages, globs, placeholders and build output", () => {
  expect(paths("[x](https://example.com/docs/a) `/api/auth` `@sonde/kit` `services/*/src` `services/<name>`")).toEqual(
    [],
  );
  expect(paths("`services/web/dist/x` `application/json` [here](#anchor)")).toEqual([]);
});

it("ignores fenced code", () => {
  expect(paths("```\n`services/none`\n```\n`services/some`")).toEqual(["services/some"]);
});

it("reports packages of the lock file that are bound to a host", () => {
  const lock = {
    packages: { "": {}, "node_modules/a": { resolved: "https://registry.test/a.tgz" }, b: { resolved: "services/b" } },
  };
  expect(hostsIn(lock)).toEqual(['package-lock.json: node_modules/a has a "resolved" address']);
});

it("prints errors and returns false if a step fails", async () => {
  const printed: string[] = [];
  const steps = [
    { name: "good", run: () => Promise.resolve("") },
    { name: "bad", run: () => Promise.resolve("line 1\nline 2") },
    { name: "broken", run: () => Promise.reject(new Error("no such tool")) },
  ];

  expect(await runSteps(steps, 1, (line) => printed.push(line))).toBe(false);
  expect(printed.map((line) => line.replace(/\d+\.\d+ s/, "x s"))).toEqual([
    "✓ good (x s)",
    "✗ bad (x s)",
    "  line 1\n  line 2",
    "✗ broken (x s)",
    "  Error: no such tool",
  ]);
});

it("skips and reports a step whose program is not installed", async () => {
  const lines: string[] = [];
  const steps = [
    { name: "missing", run: systemTool(["no-such-program"]) },
    { name: "failing", run: systemTool(["sh", "-c", "echo the reason; exit 3"]) },
  ];
  expect(await runSteps([steps[0]!], 1, (line) => void lines.push(line))).toBe(true);
  expect(await runSteps(steps, 1, (line) => void lines.push(line))).toBe(false);
  expect(lines.filter((line) => !line.startsWith("✗"))).toEqual([
    "- missing: skipped, no-such-program is not installed",
    "- missing: skipped, no-such-program is not installed",
    "  the reason",
  ]);
});
