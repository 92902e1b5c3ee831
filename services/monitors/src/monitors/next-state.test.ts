import { expect, test } from "vitest";
import { definition as watched, httpCheck } from "../testing/definition.ts";
import { type Definition, type StoredMonitor, nextState } from "./monitor.ts";

const definition: Definition = { ...watched, name: "shop", locations: ["a", "b"] };
const up: StoredMonitor = {
  ...definition,
  id: 1,
  revision: 9,
  status: "up",
  statusSinceMs: 100,
  version: 4,
  figuresVersion: 2,
  activeSinceMs: 50,
  target: "https://example.com/",
  flappingSinceMs: null,
  slowSinceMs: null,
  createdAtMs: 10,
  updatedAtMs: 90,
};
const paused: StoredMonitor = { ...up, status: "paused", activeSinceMs: null };

test("a new monitor is pending or paused", () => {
  expect(nextState(null, definition, false, 500)).toMatchObject({
    status: "pending",
    version: 1,
    activeSinceMs: 500,
    createdAtMs: 500,
  });
  expect(nextState(null, definition, true, 500)).toMatchObject({
    status: "paused",
    version: 1,
    activeSinceMs: null,
  });
});

test("name, tags and the order of locations do not change state and version", () => {
  const renamed = { ...definition, name: "new", tags: ["x"], locations: ["b", "a"] };
  expect(nextState(up, renamed, false, 500)).toMatchObject({
    status: "up",
    statusSinceMs: 100,
    version: 4,
    figuresVersion: 2,
    activeSinceMs: 50,
    updatedAtMs: 500,
    newVersion: false,
  });
});

test.each<[string, Partial<Definition>]>([
  ["url", { config: { ...httpCheck, url: "https://example.com/other" } }],
  ["method", { config: { ...httpCheck, method: "HEAD" } }],
  ["interval", { intervalMs: 120_000 }],
  ["timeout", { timeoutMs: 5_000 }],
  ["expected status", { config: { ...httpCheck, expectedStatus: "2xx" } }],
  ["headers", { config: { ...httpCheck, headers: [{ name: "Accept", value: "*/*" }] } }],
  ["body", { config: { ...httpCheck, body: "" } }],
  ["redirects", { config: { ...httpCheck, followRedirects: false } }],
  ["TLS", { config: { ...httpCheck, verifyTls: false } }],
  ["retries", { retries: 0 }],
  ["assertions", { config: { ...httpCheck, assertions: [{ source: "body", op: "contains", value: "ok" }] } }],
  ["locations", { locations: ["a"] }],
])("a changed %s starts a new version, which is pending", (_what, change) => {
  expect(nextState(up, { ...definition, ...change }, false, 500)).toMatchObject({
    status: "pending",
    statusSinceMs: 500,
    version: 5,
    figuresVersion: 5,
    activeSinceMs: 500,
    newVersion: true,
  });
});

test("pausing and resuming keep the figures", () => {
  expect(nextState(up, definition, true, 500)).toMatchObject({
    status: "paused",
    version: 5,
    figuresVersion: 2,
    activeSinceMs: null,
  });
  expect(nextState(paused, definition, false, 500)).toMatchObject({
    status: "pending",
    version: 5,
    figuresVersion: 2,
    activeSinceMs: 500,
  });
});

test("an edit of a paused monitor does not change since when it is paused", () => {
  const edited = { ...definition, config: { ...httpCheck, url: "https://example.com/other" } };
  expect(nextState(paused, edited, true, 500)).toMatchObject({
    status: "paused",
    statusSinceMs: 100,
    version: 5,
    figuresVersion: 5,
  });
});
