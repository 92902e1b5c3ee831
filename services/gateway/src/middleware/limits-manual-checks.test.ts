import { AppError } from "@sonde/kit/errors";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { principals } from "../testing/principals.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const body = { name: "shop", url: "https://example.com" };
const tryOut = (as: "user" | "admin" = "user") => app.ask("POST", "/api/monitors/test", { as, body });
const checkNow = () => app.ask("POST", "/api/monitors/7/check", { as: "user" });
const statusesOf = async (asked: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(asked)).map(({ status }) => status);

test("a user's eleventh test within ten seconds is rejected with the seconds to wait; others' are not", async () => {
  for (let at = 0; at < 10; at++) expect((await tryOut()).status).toBe(200);
  const { status, headers, body: answer } = await tryOut();
  expect(status).toBe(429);
  expect(answer).toMatchObject({ success: false, code: "too_many" });
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(10);
  expect((await tryOut("admin")).status).toBe(200);
  expect((await checkNow()).status).toBe(200);
});

test("a test over the limit is rejected before its body arrives", async () => {
  for (let at = 0; at < 10; at++) await tryOut();
  const socket = connect(app.port, "127.0.0.1");
  const head = `Authorization: Bearer ${principals.user.token}\r\nContent-Type: application/json\r\nContent-Length: 9`;
  socket.write(`POST /api/monitors/test HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1.1 429 /);
});

test("a user's twenty-first manual check within ten seconds is rejected", async () => {
  for (let at = 0; at < 20; at++) expect((await checkNow()).status).toBe(200);
  expect((await checkNow()).status).toBe(429);
});

test("a user has at most ten checks and tests in progress", async () => {
  const hanging = Promise.withResolvers<never>();
  app.fakes.refuse("testMonitor", () => hanging.promise);
  app.fakes.refuse("checkNow", () => hanging.promise);
  const asked = [...Array.from({ length: 5 }, () => tryOut()), ...Array.from({ length: 5 }, checkNow)];
  while (app.fakes.calls.filter(({ method }) => /^(?:testMonitor|checkNow)$/.test(method)).length < 10) {
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const { status, headers, body: answer } = await checkNow();
  expect([status, headers.get("retry-after")]).toEqual([429, "2"]);
  expect(answer["message"]).toBe("At most 10 checks can run at once. Please wait for one to finish");
  hanging.reject(new AppError("unavailable", "Check failed"));
  expect(await statusesOf(asked)).toEqual(Array(10).fill(503));
  app.fakes.heal();
  expect((await checkNow()).status).toBe(200);
});

test("input that monitors rejects counts, because its patterns may have been compiled", async () => {
  app.fakes.refuse("testMonitor", new AppError("invalid", "The request is not valid"));
  for (let at = 0; at < 10; at++) expect((await tryOut()).status).toBe(400);
  app.fakes.heal();
  expect((await tryOut()).status).toBe(429);
});

test("input that fails validation does not count", async () => {
  const refused = () => app.ask("POST", "/api/monitors/test", { as: "user", body: { ...body, timeout: -1 } });
  for (let at = 0; at < 15; at++) expect((await refused()).status).toBe(400);
  expect((await tryOut()).status).toBe(200);
});

test("a check that could not run says why", async () => {
  const message = "Too many manual checks are running, please try again in a few seconds";
  app.fakes.refuse("checkNow", new AppError("unavailable", "Check failed", { details: [{ path: "check", message }] }));
  const { status, body: answer } = await checkNow();
  expect(status).toBe(503);
  expect(answer).toMatchObject({ message: "Check failed", errors: [{ path: "check", message }] });
});

test("the API description states the limits", async () => {
  const { body: document } = await app.ask("GET", "/api/openapi.json");
  const paths = document["paths"] as Record<string, { post: { description: string; responses: object } }>;
  const limits = ["/api/monitors/test", "/api/monitors/{id}/check"].map((path) => paths[path]!.post);
  expect(limits.map(({ description }) => description)).toEqual([
    "Per user, at most 10 in 10 seconds and 10 manual checks at once, otherwise 429.",
    expect.stringMatching(/ Per user, at most 20 in 10 seconds and 10 manual checks at once, otherwise 429\.$/),
  ]);
  for (const { responses } of limits) expect(responses).toHaveProperty("429");
});
