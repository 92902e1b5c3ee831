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

it("a connection that is not described is none, and what may be left out of one is", () => {
  const values = showHttp(monitor);
  expect(readHttp(values)).toMatchObject({ proxy: null, clientCertificate: null, oauth: null, ipFamily: null });
  expect(readHttp(values)).toMatchObject({ servername: null, h2c: null });
  const proxy = { url: "http://proxy.example:3128", username: "sonde", password: "••••••" };
  const oauth = {
    tokenUrl: "https://a.example/",
    clientId: "a",
    clientSecret: "••••••",
    authentication: "body",
  } as const;
  const read = readHttp(showHttp({ ...monitor, proxy, oauth, ipFamily: "ipv6", servername: "a.test", h2c: true }));
  expect(read).toMatchObject({ proxy, oauth, ipFamily: "ipv6", servername: "a.test", h2c: true });
  expect(read.oauth).not.toHaveProperty("scope");
  expect(readHttp({ ...values, proxy: { ...values.proxy, url: proxy.url } }).proxy).toEqual({ url: proxy.url });
});
