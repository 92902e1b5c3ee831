import { createGuard } from "@sonde/kit/egress/guard";
import { expect, test } from "vitest";
import { secretBox } from "@sonde/kit/secrets";
import { applyInput, type RuleContext } from "./rules.ts";

const ctx = (...living: string[]): RuleContext => ({
  guard: createGuard({ denyCidrs: [] }),
  secrets: secretBox(Buffer.alloc(32).toString("base64")),
  minIntervalMs: 60_000,
  locations: { living: () => living },
});
const input = { name: "shop", url: "https://example.com/" };

test("a monitor that names no location gets `default` where a runner of it lives, else the only living one", () => {
  expect(applyInput(ctx("default", "eu1"), input, null).locations).toEqual(["default"]);
  expect(applyInput(ctx("eu1"), input, null).locations).toEqual(["eu1"]);
});

test("where there is a choice, or nobody, it is refused with what there is", () => {
  expect(() => applyInput(ctx("eu1", "us1"), input, null)).toThrow(
    expect.objectContaining({
      code: "impossible",
      message: "Choose a location: probe runners are at eu1, us1",
      details: [expect.objectContaining({ path: "locations" })],
    }),
  );
  expect(() => applyInput(ctx(), input, null)).toThrow(
    "No probe runner is running, so nothing would check this monitor",
  );
});

test("`default` is refused like any other location without a runner; a monitor that has it keeps it", () => {
  const named = { ...input, locations: ["default"] };
  expect(() => applyInput(ctx("eu1"), named, null)).toThrow("There is no location named default");
  const before = applyInput(ctx("default"), input, null);
  expect(applyInput(ctx("eu1"), { ...named, name: "new" }, before)).toMatchObject({ locations: ["default"] });
});
