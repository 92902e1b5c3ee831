import { deriveKeys } from "@sonde/kit/secret-keys";
import { silentLog } from "@sonde/kit/service/log";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeSecrets } from "./secrets.ts";
import { startApiServer } from "./testing/api-server.ts";

let api: Awaited<ReturnType<typeof startApiServer>>;
beforeEach(async () => {
  api = await startApiServer();
});
afterEach(() => api.stop());

const requested = {
  "x-app": { "secret-key": "base64-32", "setup-code": "code" },
  "x-nats": { admin: "password", auth: "password" },
  "x-test": { username: "word:helm-test", password: "password" },
};

const make = (secrets: object = requested, options: object = {}) =>
  makeSecrets(
    { ...api.environment, SECRETS: JSON.stringify(secrets), LABELS: '{"app.kubernetes.io/name":"sonde"}' },
    { folder: api.folder, log: silentLog, waits: { unavailableMs: 60_000, refusedMs: 0, betweenMs: 5 }, ...options },
  );

test("creates Secrets with values of the requested kinds, which Helm and Argo CD keep", async () => {
  await make();
  const { "secret-key": key = "", "setup-code": code } = api.read("x-app");
  expect(Buffer.from(key, "base64")).toHaveLength(32);
  expect(code).toMatch(/^(?:[a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  for (const password of Object.values(api.read("x-nats"))) expect(password).toMatch(/^[a-zA-Z][\w-]{32}$/);
  expect(api.read("x-nats").admin).not.toBe(api.read("x-nats").auth);
  expect(api.read("x-test").username).toBe("helm-test");
  expect(api.metadata("x-app")).toMatchObject({
    labels: { "app.kubernetes.io/name": "sonde" },
    annotations: {
      "helm.sh/resource-policy": "keep",
      "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
      "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    },
  });
});

test("a second run changes nothing", async () => {
  await make();
  const before = Object.keys(requested).map(api.read);
  api.requests.length = 0;
  await make();
  expect(Object.keys(requested).map(api.read)).toEqual(before);
  expect(api.requests.every((request) => request.startsWith("GET "))).toBe(true);
});

test("adds the keys of a newer version without changing existing ones", async () => {
  api.put("x-nats", { auth: "chosen by the user", other: "theirs" });
  await make();
  expect(api.read("x-nats")).toMatchObject({ auth: "chosen by the user", other: "theirs" });
  expect(api.read("x-nats").admin).toMatch(/^[a-zA-Z]/);
});

const withKeys = {
  "x-app": { "secret-key": "base64-32" },
  "x-keys": { check: "derived:check", v1: "derived:v1" },
};
const MASTER = '{"secret":"x-app","key":"secret-key"}';
const makeKeys = (secrets: object = withKeys) =>
  makeSecrets(
    { ...api.environment, SECRETS: JSON.stringify(secrets), MASTER },
    { folder: api.folder, log: silentLog, waits: { unavailableMs: 60_000, refusedMs: 0, betweenMs: 5 } },
  );

test("derives the services' keys from the master key, and updates them when it changes", async () => {
  await makeKeys();
  const { "secret-key": master = "" } = api.read("x-app");
  const { SONDE_KEY_CHECK: check, SONDE_KEY_V1: v1 } = deriveKeys(master);
  expect(api.read("x-keys")).toEqual({ check, v1 });
  api.requests.length = 0;
  await makeKeys();
  expect(api.requests.every((request) => request.startsWith("GET "))).toBe(true);

  const rotated = `${randomBytes(32).toString("base64")},${master}`;
  api.put("x-app", { "secret-key": `${rotated}\n` });
  await makeKeys({ "x-keys": withKeys["x-keys"] });
  expect(api.read("x-keys").check).toBe(deriveKeys(rotated).SONDE_KEY_CHECK);
  expect(api.read("x-keys").check).toMatch(new RegExp(`,${check?.replaceAll(/[+/]/g, "\\$&")}$`));
});

test("the error for a missing or invalid master key does not contain its value", async () => {
  await expect(makeKeys({ "x-keys": withKeys["x-keys"] })).rejects.toThrow("the Secret x-app does not exist");
  api.put("x-app", { other: "x" });
  await expect(makeKeys({ "x-keys": withKeys["x-keys"] })).rejects.toThrow("The Secret x-app has no key secret-key.");
  api.put("x-app", { "secret-key": "canary" });
  const message = makeKeys().catch((fault: Error) => fault.message);
  expect(await message).toBe("secret-key of the Secret x-app must be 32 bytes in base64.");
  expect(api.read("x-keys")).toEqual({});
});

test("concurrent runs create each key once and see the same values", async () => {
  const seen: object[] = [];
  const run = async () => {
    await make();
    seen.push(...Object.keys(requested).map(api.read));
  };
  api.put("x-nats", { other: "theirs" });
  await Promise.all([run(), run(), run(), run()]);
  const last = Object.keys(requested).map(api.read);
  expect(seen).toEqual(Array.from({ length: 4 }, () => last).flat());
});

test("reads the Secret again if another run created or changed it in between", async () => {
  let raced = false;
  api.override((request) => {
    if (raced || !request.startsWith("POST")) return null;
    raced = true;
    api.put("x-app", { "setup-code": "the other's" });
    return { status: 409, reason: "AlreadyExists", message: "it exists" };
  });
  await make({ "x-app": requested["x-app"] });
  expect(api.read("x-app")["setup-code"]).toBe("the other's");
  expect(Object.keys(api.read("x-app"))).toContain("secret-key");
  expect(api.requests.map((request) => request.split(" ")[0])).toEqual(["GET", "POST", "GET", "PATCH"]);
});

test("waits for an API server that is unreachable, overloaded or failing", async () => {
  await api.goOffline();
  const warn = vi.fn<(fields: { reason: string }) => void>(() => void (warn.mock.calls.length === 1 && goOnline()));
  const goOnline = () => void api.goOnline();
  const failures = [500, 503, 429];
  api.override(() => {
    const status = failures.pop();
    return status === undefined ? null : { status, reason: "Busy", message: "busy" };
  });
  await make(requested, { log: { ...silentLog, warn } });
  expect(Object.keys(api.read("x-app"))).toHaveLength(2);
  expect(warn.mock.calls[0]?.[0]?.reason).toContain("ECONNREFUSED");
});

test("retries a refused permission for a moment before it reports it", async () => {
  const message = 'secrets is forbidden: User "system:serviceaccount:sonde:x" cannot create resource "secrets"';
  api.override((request) => (request.startsWith("POST") ? { status: 403, reason: "Forbidden", message } : null));
  await expect(make()).rejects.toThrow(
    `denies access: ${message}. The pod's Role must allow get, create and patch of secrets`,
  );
  let refusals = 2;
  api.override(() => (refusals-- > 0 ? { status: 403, reason: "Forbidden", message } : null));
  await make(requested, { waits: { refusedMs: 60_000, betweenMs: 5 } });
  expect(Object.keys(api.read("x-nats"))).toHaveLength(2);
});

test("gives up an API server that stays unavailable, with the server's message", async () => {
  api.override(() => ({ status: 503, reason: "Unavailable", message: "etcd is down" }));
  const waits = { unavailableMs: 0, refusedMs: 0, betweenMs: 5 };
  await expect(make(requested, { waits })).rejects.toThrow(/did not respond for 0 s: etcd is down/);
});

test("reports which Secret the server rejects and why", async () => {
  const message = "Secret is invalid: data: Forbidden: field is immutable when `immutable` is set";
  api.put("x-app", { "setup-code": "kept" });
  api.override((request) => (request.startsWith("PATCH") ? { status: 422, reason: "Invalid", message } : null));
  await expect(make()).rejects.toThrow(`the Secret x-app lacks secret-key and cannot be changed: ${message}`);
});

test.each([
  ["{", /SECRETS: must be JSON/],
  ['{"a":{"b":"passwrod"}}', /SECRETS\.a\.b: must be base64-32/],
  ["", /SECRETS: must be JSON/],
])("SECRETS %s is rejected", async (SECRETS, fault) => {
  await expect(makeSecrets({ ...api.environment, SECRETS }, { folder: api.folder })).rejects.toThrow(fault);
});

test("reports that it runs outside a pod or without a token", async () => {
  const SECRETS = JSON.stringify(requested);
  await expect(makeSecrets({ SECRETS }, { folder: api.folder })).rejects.toThrow(/run this in a Kubernetes pod/);
  await expect(makeSecrets({ ...api.environment, SECRETS }, { folder: "/nowhere" })).rejects.toThrow(
    /\/nowhere\/token cannot be read: the pod needs automountServiceAccountToken: true/,
  );
});
