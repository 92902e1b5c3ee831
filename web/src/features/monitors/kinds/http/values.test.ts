import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { expect, it } from "vitest";
import { monitor } from "../../../../testing/fixtures.ts";
import { readHttp, showHttp } from "./values.ts";

it("an assertion's number stays a number through the form, and a text stays a text", () => {
  const assertions: CheckOf<"http">["assertions"] = [
    { source: "json", property: "$.count", op: "equals", value: 3 },
    { source: "json", property: "$.count", op: "equals", value: "3" },
    { source: "body", op: "contains", value: 42 },
  ];
  const values = showHttp({ ...monitor, assertions });
  expect(readHttp(values).assertions).toEqual(assertions);
  values.assertions[0]!.value = "three";
  expect(readHttp(values).assertions[0]).toMatchObject({ value: "three" });
});
