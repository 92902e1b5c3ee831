import { AppError, unavailable } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const path = "/api/status/subscribers";
const asked = (method: string) => app.fakes.calls.filter((one) => one.method === method).map(({ request }) => request);
const body = { email: "reader@example.com", services: ["monitor:7", "agent:3"] };

describe("a subscription request", () => {
  test("is answered and mailed in the visitor's language", async () => {
    const answer = await app.ask("POST", path, { body, headers: { "accept-language": "zh-CN" } });
    expect(answer).toMatchObject({ status: 200, body: { message: "请点击邮件中的链接确认订阅" } });
    expect(asked("subscribe")).toMatchObject([
      {
        email: "reader@example.com",
        language: "zh-CN",
        services: ["monitor:7", "agent:3"],
      },
    ]);
  });

  test.each([
    [{ email: "nobody" }, "email"],
    [{ email: "a@example.com", services: ["host:1"] }, "services.0"],
    [{ email: "a@example.com", services: ["monitor:1", "monitor:9999999999"] }, "services.1"],
    [{ email: `${"a".repeat(250)}@example.com` }, "email"],
    [{ email: "a@example.com", token: "x" }, "token"],
  ])("is rejected with the reason: %j", async (wrong, fault) => {
    const answer = await app.ask("POST", path, { body: wrong });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: fault }] } });
    expect(asked("subscribe")).toEqual([]);
  });

  test("is limited to five in ten minutes", async () => {
    for (let at = 0; at < 5; at++) expect((await app.ask("POST", path, { body })).status).toBe(200);
    const { status, headers } = await app.ask("POST", path, { body });
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(500);
    expect(asked("subscribe")).toHaveLength(5);
  });

  test("fails if nobody can subscribe", async () => {
    app.fakes.refuse("subscribe", new AppError("impossible", "Email subscriptions are currently unavailable"));
    expect(await app.ask("POST", path, { body })).toMatchObject({
      status: 422,
      body: { code: "impossible", message: "Email subscriptions are currently unavailable" },
    });
  });
});

test("a token confirms or unsubscribes at most thirty times in ten minutes", async () => {
  expect(await app.ask("POST", `${path}/confirm`, { body: { token: "t" } })).toMatchObject({ status: 200 });
  expect(await app.ask("POST", `${path}/unsubscribe`, { body: { token: "u" } })).toMatchObject({ status: 200 });
  expect([...asked("confirmSubscription"), ...asked("unsubscribe")]).toMatchObject([{ token: "t" }, { token: "u" }]);
  app.fakes.refuse("confirmSubscription", new AppError("invalid", "This link is invalid or has expired"));
  for (let at = 0; at < 28; at++) {
    expect((await app.ask("POST", `${path}/confirm`, { body: { token: "t" } })).status).toBe(400);
  }
  expect((await app.ask("POST", `${path}/unsubscribe`, { body: { token: "t" } })).status).toBe(429);
});

test("viewers see only the number of subscribers, regardless of the search", async () => {
  const { body: listed } = await app.ask("GET", `${path}?search=reader%40example.com`, { as: "viewer" });
  expect(listed).toEqual({ success: true, subscribers: [], total: 1 });
  expect(asked("listSubscribers")).toMatchObject([{ search: "" }]);
});

test("users see addresses, and can delete them", async () => {
  const { body: listed } = await app.ask("GET", `${path}?search=reader`, { as: "user" });
  expect(listed).toMatchObject({
    total: 1,
    subscribers: [{ id: 7, email: "reader@example.com", status: "confirmed", services: ["monitor:7"] }],
  });
  expect(asked("listSubscribers")).toMatchObject([{ page: 1, pageSize: 50, search: "reader" }]);
  expect(await app.ask("DELETE", `${path}/7`, { as: "user" })).toMatchObject({
    status: 200,
    body: { message: "Subscriber deleted" },
  });
  expect((await app.ask("DELETE", `${path}/8`, { as: "user" })).status).toBe(404);
});

test("while status-page is unavailable the response reports it", async () => {
  app.fakes.refuse("subscribe", unavailable("status"));
  expect((await app.ask("POST", path, { body })).status).toBe(503);
});
