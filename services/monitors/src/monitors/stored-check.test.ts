import { deriveKeys } from "@sonde/kit/secret-keys";
import { isSealed, secretBox, secretContexts } from "@sonde/kit/secrets";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { secretMask } from "@sonde/proto/http/secrets";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { httpCheck } from "../testing/definition.ts";
import type { StoredCheck } from "./monitor.ts";
import { sealByFirstKey, shownCheck, storeCheck } from "./stored-check.ts";

const box = secretBox(deriveKeys(randomBytes(32).toString("base64")));
const here = "https://example.com/a";
const check = (headers: Header[], url = here): CheckOf<"http"> => ({ ...httpCheck, url, headers });
const store = (headers: Header[], before: StoredCheck | null = null, url = here) =>
  storeCheck(box, check(headers, url), before);
const kept = (...headers: Header[]) => store(headers).check;
const valuesOf = (stored: StoredCheck) => (stored["headers"] as { value: unknown }[]).map(({ value }) => value);
const opened = (value: unknown) => (isSealed(value) ? box.open(value.sealed, secretContexts.check) : value);

test("a value is sealed by its header's name alone", () => {
  const names = ["Authorization", "cookie", "X-Api-Key", "x-auth-token", "App-Secret", "Accept", "Key"];
  const { check: stored, faults } = store(names.map((name) => ({ name, value: "plain" })));
  expect(faults).toEqual([]);
  expect(names.filter((_, index) => !isSealed(valuesOf(stored)[index]))).toEqual(["Accept", "Key"]);
  expect(valuesOf(stored).map(opened)).toEqual(names.map(() => "plain"));
  expect(JSON.stringify(shownCheck(stored))).not.toContain("sealed");
});

test("the mask keeps the stored value, whatever the case of the name and the path of the URL", () => {
  const before = kept({ name: "Authorization", value: "kept" });
  const { check: stored, faults } = store(
    [{ name: "authorization", value: secretMask }],
    before,
    "https://example.com/b",
  );
  expect(faults).toEqual([]);
  expect(valuesOf(stored)).toEqual(valuesOf(before));
});

test("the mask does not travel to another scheme, host or port", () => {
  const before = kept({ name: "Authorization", value: "kept" });
  for (const url of ["http://example.com/a", "https://example.org/a", "https://example.com:8443/a"]) {
    const { faults } = store([{ name: "Authorization", value: secretMask }], before, url);
    expect(faults).toEqual([{ path: "headers.0.value", message: "The address changed: enter this secret value anew" }]);
  }
  expect(store([{ name: "Authorization", value: "anew" }], before, "https://example.org/a").faults).toEqual([]);
});

test("the mask needs a stored secret of that name", () => {
  const before = kept({ name: "Authorization", value: "kept" }, { name: "Accept", value: "*/*" });
  const given = ["X-Api-Key", "Cookie"].map((name) => ({ name, value: secretMask }));
  expect(store(given, before).faults.map(({ path }) => path)).toEqual(["headers.0.value", "headers.1.value"]);
});

test("two headers of one name keep their own values, in order", () => {
  const before = kept({ name: "Cookie", value: "first" }, { name: "Cookie", value: "second" });
  const masked = { name: "Cookie", value: secretMask };
  expect(valuesOf(store([masked, masked], before).check).map(opened)).toEqual(["first", "second"]);
  expect(store([masked, masked, masked], before).faults).toHaveLength(1);
});

test("the stored value entered anew stays sealed as it was; another one is sealed", () => {
  const before = kept({ name: "Authorization", value: "same" });
  expect(store([{ name: "Authorization", value: "same" }], before).check).toEqual(before);
  const [other] = valuesOf(store([{ name: "Authorization", value: "other" }], before).check);
  expect(opened(other)).toBe("other");
});

test("a value that another key sealed can be replaced", () => {
  const sealed = secretBox(deriveKeys(randomBytes(32).toString("base64"))).seal("lost", secretContexts.check);
  const before = { ...httpCheck, url: here, headers: [{ name: "Authorization", value: { sealed } }] };
  const { check: stored, faults } = store([{ name: "Authorization", value: "new" }], before);
  expect(faults).toEqual([]);
  expect(opened(valuesOf(stored)[0])).toBe("new");
});

test("what was kept in the clear before it counted as secret is sealed once", () => {
  const open = {
    ...httpCheck,
    headers: [
      { name: "X-Auth", value: "canary" },
      { name: "Accept", value: "*/*" },
    ],
  };
  const sealed = sealByFirstKey(box, open);
  expect(sealed && valuesOf(sealed).map(opened)).toEqual(["canary", "*/*"]);
  expect(JSON.stringify(sealed)).not.toContain("canary");
  expect(sealed && sealByFirstKey(box, sealed)).toBeNull();
});
