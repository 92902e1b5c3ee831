import { checkTypes } from "@sonde/proto/http/monitors/kinds";
import { describe, expect, it } from "vitest";
import { formOf, formTypes } from "./registry.ts";

describe("forms of kinds", () => {
  it("are one for each kind of check, and nothing else lies among them", () => {
    expect(formTypes.toSorted()).toEqual(checkTypes.toSorted());
  });

  it.each(checkTypes)("send a check of the kind that their file is named after: %s", (type) => {
    const { empty, read } = formOf(type);
    expect(read(empty).type).toBe(type);
  });
});
