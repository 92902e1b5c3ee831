import { deriveKeys } from "@sonde/kit/secret-keys";
import { isSealed, secretBox, secretContexts } from "@sonde/kit/secrets";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { secretMask } from "@sonde/proto/http/secrets";
import { makeCertificate } from "@sonde/kit/testing/certificate";
import { createPrivateKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { httpCheck } from "../testing/definition.ts";
import type { StoredCheck } from "./monitor.ts";
import { keyPairErrors, sealByFirstKey, shownCheck, storeCheck } from "./stored-check.ts";

const box = secretBox(deriveKeys(randomBytes(32).toString("base64")));
const here = "https://example.com/a";
const check = (headers: Header[], url = here): CheckOf<"http"> => ({ ...httpCheck, url, headers });
const store = (headers: Header[], before: StoredCheck | null = null, url = here) =>
  storeCheck(box, check(headers, url), before);
const kept = (...headers: Header[]) => store(headers).check;
const valuesOf = (stored: StoredCheck) => (stored["headers"] as { value: unknown }[]).map(({ value }) => value);
const opened = (value: unknown) => (isSealed(value) ? box.open(value.sealed, secretContexts.check) : value);

test("only the name of a header decides whether its value is sealed", () => {
  const names = ["Authorization", "cookie", "X-Api-Key", "x-auth-token", "App-Secret", "Accept", "Key"];
  const { check: stored, faults } = store(names.map((name) => ({ name, value: "plain" })));
  expect(faults).toEqual([]);
  expect(names.filter((_, index) => !isSealed(valuesOf(stored)[index]))).toEqual(["Accept", "Key"]);
  expect(valuesOf(stored).map(opened)).toEqual(names.map(() => "plain"));
  expect(JSON.stringify(shownCheck(stored))).not.toContain("sealed");
});

test("the mask keeps the stored value, regardless of the case of the name and the path of the URL", () => {
  const before = kept({ name: "Authorization", value: "kept" });
  const { check: stored, faults } = store(
    [{ name: "authorization", value: secretMask }],
    before,
    "https://example.com/b",
  );
  expect(faults).toEqual([]);
  expect(valuesOf(stored)).toEqual(valuesOf(before));
});

test("the mask does not apply to another scheme, host or port", () => {
  const before = kept({ name: "Authorization", value: "kept" });
  for (const url of ["http://example.com/a", "https://example.org/a", "https://example.com:8443/a"]) {
    const { faults } = store([{ name: "Authorization", value: secretMask }], before, url);
    expect(faults).toEqual([
      { path: "headers.0.value", message: "The address has changed: enter this secret value again" },
    ]);
  }
  expect(store([{ name: "Authorization", value: "anew" }], before, "https://example.org/a").faults).toEqual([]);
});

test("the mask needs a stored secret of that name", () => {
  const before = kept({ name: "Authorization", value: "kept" }, { name: "Accept", value: "*/*" });
  const given = ["X-Api-Key", "Cookie"].map((name) => ({ name, value: secretMask }));
  expect(store(given, before).faults.map(({ path }) => path)).toEqual(["headers.0.value", "headers.1.value"]);
});

test("two headers with the same name keep their own values, in order", () => {
  const before = kept({ name: "Cookie", value: "first" }, { name: "Cookie", value: "second" });
  const masked = { name: "Cookie", value: secretMask };
  expect(valuesOf(store([masked, masked], before).check).map(opened)).toEqual(["first", "second"]);
  expect(store([masked, masked, masked], before).faults).toHaveLength(1);
});

test("entering the stored value again keeps its seal; another value is sealed", () => {
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

test("a value in the clear that counts as secret now is sealed once", () => {
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

const connected: CheckOf<"http"> = {
  ...check([{ name: "Authorization", value: "kept" }]),
  proxy: { url: "http://proxy.example:3128", username: "sonde", password: "proxy password" },
  oauth: { tokenUrl: "https://a.example/t", clientId: "a", clientSecret: "client secret", authentication: "basic" },
};
const masked = {
  headers: [{ name: "Authorization", value: secretMask }],
  proxy: { ...connected.proxy!, password: secretMask },
  oauth: { ...connected.oauth!, clientSecret: secretMask },
};

test("each secret is bound to its own recipient, and a token also to the target", () => {
  const { check: before } = storeCheck(box, connected, null);
  expect(shownCheck(before)).toMatchObject(masked);
  const moved = (changes: Partial<CheckOf<"http">>) =>
    storeCheck(box, { ...connected, ...masked, ...changes }, before).faults.map(({ path }) => path);
  expect(moved({ body: "x", proxy: { ...masked.proxy, url: "HTTP://proxy.example:3128/" } })).toEqual([]);
  expect(moved({ url: "https://other.example/" })).toEqual(["headers.0.value", "oauth.clientSecret"]);
  expect(moved({ oauth: { ...masked.oauth, tokenUrl: "https://b.example/t" } })).toEqual(["oauth.clientSecret"]);
  // A proxy could read it.
  expect(moved({ proxy: { ...masked.proxy, url: "http://other.example:3128" } })).toEqual([
    "headers.0.value",
    "proxy.password",
    "oauth.clientSecret",
  ]);
  const { proxy: _none, ...straight } = { ...connected, ...masked };
  expect(storeCheck(box, straight, before).faults.map(({ path }) => path)).toEqual([
    "headers.0.value",
    "oauth.clientSecret",
  ]);
});

test("a client certificate is validated with its key, which may be the stored one", () => {
  const notAfter = new Date(Date.now() + 864e5);
  const [pair, other] = [makeCertificate({ names: ["a"], notAfter }), makeCertificate({ names: ["b"], notAfter })];
  const encrypted = createPrivateKey(pair.key)
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
    .toString();
  const faultsOf = (clientCertificate: typeof pair, before: StoredCheck | null = null) => {
    const { check: stored, faults } = storeCheck(box, { ...httpCheck, url: here, clientCertificate }, before);
    return [...faults, ...keyPairErrors(box, stored)].map(({ path, message }) => `${path}: ${message}`);
  };
  expect(faultsOf(pair)).toEqual([]);
  expect(faultsOf({ ...pair, cert: "x" })).toEqual(["clientCertificate.cert: This is not a PEM certificate"]);
  expect(faultsOf({ ...pair, key: "x" })).toEqual(["clientCertificate.key: This is not a PEM private key"]);
  expect(faultsOf({ ...pair, key: encrypted })).toEqual([
    "clientCertificate.key: The private key is encrypted: enter it without a passphrase",
  ]);
  const foreign = ["clientCertificate.key: The private key does not belong to the certificate"];
  expect(faultsOf({ ...pair, key: other.key })).toEqual(foreign);
  const { check: before } = storeCheck(box, { ...httpCheck, url: here, clientCertificate: pair }, null);
  expect(faultsOf({ cert: pair.cert, key: secretMask }, before)).toEqual([]);
  expect(faultsOf({ cert: other.cert, key: secretMask }, before)).toEqual(foreign);
  expect(JSON.stringify(before)).not.toContain("PRIVATE");
});

test("each step of a flow keeps its secret when it is moved or renamed, and only for its own origin", () => {
  const step = (value: string, path: string, name?: string) => ({
    ...(name !== undefined && { name }),
    method: "GET" as const,
    url: `https://example.com${path}`,
    headers: [{ name: "Authorization", value }],
    expectedStatus: 200,
    assertions: [],
    extract: [],
  });
  const flow = (...steps: ReturnType<typeof step>[]) => ({
    type: "flow" as const,
    steps,
    followRedirects: true,
    verifyTls: true,
  });
  const { check: before } = storeCheck(box, flow(step("one", "/a"), step("two", "/b", "order")), null);
  expect(JSON.stringify(before)).not.toMatch(/"(one|two)"/);
  expect(JSON.stringify(shownCheck(before))).not.toContain("sealed");
  const values = (...steps: ReturnType<typeof step>[]) => {
    const { check: stored, faults } = storeCheck(box, flow(...steps), before);
    if (faults.length > 0) return faults.map(({ path, message }) => `${path}: ${message}`);
    return (stored["steps"] as { headers: { value: unknown }[] }[]).map(({ headers: [header] }) =>
      opened(header?.value),
    );
  };
  expect(values(step(secretMask, "/b", "order"), step(secretMask, "/a"))).toEqual(["two", "one"]);
  expect(values(step("new", "/c"), step(secretMask, "/a", "login"), step(secretMask, "/d", "order"))).toEqual([
    "new",
    "one",
    "two",
  ]);
  expect(values(step("Bearer {{token}}", "/a"))).toEqual(["Bearer {{token}}"]);
  expect(values({ ...step(secretMask, "/b", "order"), url: "https://example.org/b" })).toEqual([
    "steps.0.headers.0.value: The address has changed: enter this secret value again",
  ]);
});
