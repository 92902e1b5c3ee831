import { type CheckOf, checkTypes } from "@sonde/proto/http/monitors/kinds";
import { describe, expect, it } from "vitest";
import { monitor } from "../../../testing/fixtures.ts";
import type { AssertionValues } from "./codecs.ts";
import { emptyCheck, readCheckForm, showCheck } from "./values.ts";

const readHttp = (check: object) => readCheckForm("http", showCheck("http", { ...monitor, ...check }));

it("the form preserves whether an assertion's value is a number or a text", () => {
  const assertions: CheckOf<"http">["assertions"] = [
    { source: "json", property: "$.count", op: "equals", value: 3 },
    { source: "json", property: "$.count", op: "equals", value: "3" },
    { source: "body", op: "contains", value: 42 },
  ];
  const values = showCheck("http", { ...monitor, assertions });
  expect(readCheckForm("http", values)).toMatchObject({ assertions });
  (values["assertions"] as AssertionValues[])[0]!.value = "three";
  expect(readCheckForm("http", values)).toMatchObject({ assertions: [{ value: "three" }, {}, {}] });
});

it("an object without values is omitted, as are its optional parts", () => {
  expect(readHttp({})).toMatchObject({ proxy: null, clientCertificate: null, oauth: null, ipFamily: null });
  expect(readHttp({})).toMatchObject({ servername: null, h2c: null });
  const proxy = { url: "http://proxy.example:3128", username: "sonde", password: "••••••" };
  const oauth = {
    tokenUrl: "https://a.example/",
    clientId: "a",
    clientSecret: "••••••",
    authentication: "body",
  } as const;
  const connection = { proxy, oauth, ipFamily: "ipv6", servername: "a.test", h2c: true };
  const read = readHttp(connection);
  expect(read).toMatchObject(connection);
  expect(Object.keys((read as { oauth: object }).oauth).sort()).toEqual(Object.keys(oauth).sort());
  expect(readHttp({ proxy: { url: proxy.url } })).toMatchObject({ proxy: { url: proxy.url } });
});

describe("a new check", () => {
  it.each(checkTypes)("of %s is sent with the selected kind", (type) => {
    expect(readCheckForm(type, emptyCheck(type)).type).toBe(type);
  });
});
