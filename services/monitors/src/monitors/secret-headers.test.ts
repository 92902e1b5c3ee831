import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { secretMask } from "@sonde/proto/http/monitors";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { resolveHeaders, shownHeaders } from "./secret-headers.ts";

const box = secretBox(randomBytes(32).toString("base64"));
const here = "https://example.com/a";
const stored = (name: string, plain: string) => ({
  name,
  value: box.seal(plain, secretContexts.monitorHeader),
  secret: true,
});
const opened = (value: string | undefined) => box.open(value ?? "", secretContexts.monitorHeader);

test("a value is sealed by its header's name alone", () => {
  const given = ["Authorization", "cookie", "X-Api-Key", "x-auth-token", "App-Secret", "Accept", "Key"];
  const { headers, faults } = resolveHeaders(
    box,
    given.map((name) => ({ name, value: "plain" })),
    here,
    null,
  );
  expect(faults).toEqual([]);
  expect(headers.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual(["Accept", "Key"]);
  for (const { value, secret } of headers) expect(secret ? opened(value) : value).toBe("plain");
});

test("the mask keeps the stored value, whatever the case of the name and the path of the URL", () => {
  const before = { url: here, headers: [stored("Authorization", "kept")] };
  const { headers, faults } = resolveHeaders(
    box,
    [{ name: "authorization", value: secretMask }],
    "https://example.com/b",
    before,
  );
  expect(faults).toEqual([]);
  expect(headers).toEqual([{ name: "authorization", value: before.headers[0]?.value, secret: true }]);
});

test("the mask does not travel to another scheme, host or port", () => {
  const before = { url: here, headers: [stored("Authorization", "kept")] };
  for (const url of ["http://example.com/a", "https://example.org/a", "https://example.com:8443/a", "not a url"]) {
    const { faults } = resolveHeaders(box, [{ name: "Authorization", value: secretMask }], url, before);
    expect(faults).toEqual([{ path: "headers.0.value", message: "The address changed: enter this secret value anew" }]);
  }
  const { faults } = resolveHeaders(box, [{ name: "Authorization", value: "anew" }], "https://example.org/a", before);
  expect(faults).toEqual([]);
});

test("the mask needs a stored secret of that name", () => {
  const before = {
    url: here,
    headers: [stored("Authorization", "kept"), { name: "Accept", value: "*/*", secret: false }],
  };
  const given = ["X-Api-Key", "Accept"].map((name) => ({ name, value: secretMask }));
  expect(resolveHeaders(box, given, here, before).faults.map(({ path }) => path)).toEqual([
    "headers.0.value",
    "headers.1.value",
  ]);
});

test("two headers of one name keep their own values, in order", () => {
  const before = { url: here, headers: [stored("Cookie", "first"), stored("Cookie", "second")] };
  const { headers } = resolveHeaders(box, shownHeaders(before.headers), here, before);
  expect(headers.map(({ value }) => opened(value))).toEqual(["first", "second"]);
  const thrice = [...shownHeaders(before.headers), { name: "Cookie", value: secretMask }];
  expect(resolveHeaders(box, thrice, here, before).faults).toHaveLength(1);
});

test("the stored value entered anew stays sealed as it was; another one is sealed", () => {
  const before = { url: here, headers: [stored("Authorization", "same")] };
  const same = resolveHeaders(box, [{ name: "Authorization", value: "same" }], here, before);
  expect(same.headers).toEqual(before.headers);
  const other = resolveHeaders(box, [{ name: "Authorization", value: "other" }], here, before);
  expect(opened(other.headers[0]?.value)).toBe("other");
});

test("a value that another key sealed can be replaced", () => {
  const foreign = secretBox(randomBytes(32).toString("base64")).seal("lost", secretContexts.monitorHeader);
  const before = { url: here, headers: [{ name: "Authorization", value: foreign, secret: true }] };
  const { headers, faults } = resolveHeaders(box, [{ name: "Authorization", value: "new" }], here, before);
  expect(faults).toEqual([]);
  expect(opened(headers[0]?.value)).toBe("new");
});
