import type { Monitor } from "@sonde/proto/http/monitors";
import { expect, it } from "vitest";
import { monitor } from "../../testing/fixtures.ts";
import { readInput, toValues } from "./form-values.ts";

it("an assertion's number stays a number through the form, and a text stays a text", () => {
  const assertions: Monitor["assertions"] = [
    { source: "json", property: "$.count", op: "equals", value: 3 },
    { source: "json", property: "$.count", op: "equals", value: "3" },
    { source: "body", op: "contains", value: 42 },
  ];
  const values = toValues({ ...monitor, assertions });
  expect(readInput(values).assertions).toEqual(assertions);
  values.assertions[0]!.value = "three";
  expect(readInput(values).assertions?.[0]).toMatchObject({ value: "three" });
});
