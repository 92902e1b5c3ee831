import { describe, expect, it } from "vitest";
import { choiceFilter, choiceParam, pageParam, readParams, sortParam, textFilter, writeParams } from "./params.ts";

const table = {
  page: pageParam,
  search: textFilter(5),
  status: choiceFilter(["up", "down"]),
  sort: sortParam(["name", "createdAt"], "name"),
  view: choiceParam(["cards", "table"]),
};
const read = (address: string) => readParams(table, new URLSearchParams(address));
const nothing = { page: 1, search: undefined, status: undefined, sort: "name", view: "cards" };

describe("list parameters in the URL", () => {
  it("are read as they were written, in the table's order", () => {
    const values = { view: "table", sort: "-createdAt", status: "down", search: "shop", page: 3 };
    const address = writeParams(table, values);
    expect(address.toString()).toBe("page=3&search=shop&status=down&sort=-createdAt&view=table");
    expect(readParams(table, address)).toEqual(values);
  });

  it("are omitted if they have the default value", () => {
    expect(read("")).toEqual(nothing);
    expect(writeParams(table, { ...nothing, search: "" }).toString()).toBe("");
  });

  it.each(["page=0&status=lost", "page=-1&sort=-", "page=1.5&sort=size", "page=1e9&view=", "page=12345678&search="])(
    "have the default value if the URL's is invalid: %s",
    (address) => {
      expect(read(address)).toEqual(nothing);
    },
  );

  it("can default to descending order", () => {
    const sort = sortParam(["openedAt", "closedAt"], "-openedAt");
    expect([sort(null), sort("size"), sort("openedAt")]).toEqual(["-openedAt", "-openedAt", "openedAt"]);
    expect(writeParams({ sort }, { sort: "-openedAt" }).toString()).toBe("");
  });

  it("limit the length of a text", () => {
    expect(read("search=monitors").search).toBe("monit");
  });
});
