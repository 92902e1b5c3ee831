import { expect, it } from "vitest";
import { hostAndPort, typedHost, withScheme } from "./typed.ts";

it.each([
  ["shop.example", "https://shop.example"],
  [" shop.example/health?a=1 ", "https://shop.example/health?a=1"],
  ["localhost:3000", "https://localhost:3000"],
  ["[::1]:8080/x", "https://[::1]:8080/x"],
  ["//shop.example/", "https://shop.example/"],
  ["http://shop.example", "http://shop.example"],
  ["HTTPS://shop.example", "HTTPS://shop.example"],
  ["http:/shop.example", "http:/shop.example"],
  ["ftp://shop.example", "ftp://shop.example"],
  ["htp:/bad", "htp:/bad"],
  ["h:/bad", "h:/bad"],
  ["javascript:alert(1)", "javascript:alert(1)"],
  ["not an address", "not an address"],
  ["", ""],
])("an address typed as %j is read as %j", (typed, whole) => expect(withScheme(typed)).toBe(whole));

it.each([
  ["https://www.shop.example/orders?token=secret", "shop.example"],
  ["shop.example:8443", "shop.example:8443"],
  ["例子.测试/路径", "例子.测试"],
  ["h", ""],
  ["http", ""],
  ["https:/", ""],
  ["https://", ""],
  ["https://ada:secret@shop.example", ""],
  ["not an address", ""],
])("the host of %j is %j", (typed, host) => expect(typedHost(typed)).toBe(host));

it("joins host and port, and puts an IPv6 address in brackets", () => {
  expect(hostAndPort("db", "5432")).toBe("db:5432");
  expect(hostAndPort("::1", "80")).toBe("[::1]:80");
  expect(hostAndPort("db", " ")).toBe("db");
  expect(hostAndPort("", "80")).toBe("");
});
