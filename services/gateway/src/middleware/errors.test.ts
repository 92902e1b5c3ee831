import { AppError, invalid, unavailable } from "@sonde/kit/errors";
import { failure } from "@sonde/proto/http/envelope";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
afterEach(() => app.fakes.heal());

const cases: [AppError, number][] = [
  [invalid([{ path: "timeout", message: "The timeout must be shorter than the interval" }]), 400],
  [new AppError("unauthenticated", "Please log in"), 401],
  [new AppError("forbidden", "You are not allowed to do this"), 403],
  [new AppError("not_found", "Monitor does not exist"), 404],
  [new AppError("conflict", "Username already exists"), 409],
  [new AppError("impossible", "There is no location named {location}", { params: { location: "mars" } }), 422],
  [new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 41.2 }), 429],
  [unavailable("monitors"), 503],
];

describe("an error of another service", () => {
  test.each(cases)("%s becomes an envelope with status %d", async (error, status) => {
    app.fakes.refuse("getMonitor", error);
    const answer = await app.ask("GET", "/api/monitors/7/checks", { as: "user" });
    expect(answer.status).toBe(status);
    expect(failure.parse(answer.body)).toMatchObject({ code: error.code, message: error.message });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test("keeps its paths", async () => {
    const details = [{ path: "currentPassword", message: "The current password is not correct" as const }];
    app.fakes.refuse("changePassword", new AppError("impossible", "The current password is not correct", { details }));
    const body = { currentPassword: "wrong", newPassword: "long enough" };
    const answer = await app.ask("POST", "/api/users/2/change-password", { as: "user", body });
    expect(answer.status).toBe(422);
    expect(answer.body["errors"]).toEqual([
      { path: "currentPassword", message: "The current password is not correct" },
    ]);
  });

  test("has a Retry-After in whole seconds", async () => {
    app.fakes.refuse("login", cases[6]![0]);
    const answer = await app.ask("POST", "/api/auth/login", { body: { username: "ugo", password: "x" } });
    expect(answer.headers.get("retry-after")).toBe("42");
  });
});

describe("an internal error", () => {
  test("shows only a request id", async () => {
    app.fakes.refuse("getMonitor", () => Promise.reject(new Error("password=hunter2 at db:5432")));
    const answer = await app.ask("GET", "/api/monitors/7", { as: "user" });
    expect(answer.status).toBe(500);
    const requestId = answer.headers.get("x-request-id");
    expect(answer.body).toEqual({
      success: false,
      code: "internal",
      message: `Something went wrong. Quote request ${requestId} when you report it.`,
      requestId,
    });
  });

  test("uses a valid request id, and replaces any other", async () => {
    const sane = await app.ask("GET", "/api/config", { headers: { "x-request-id": "trace-0123456789" } });
    expect(sane.headers.get("x-request-id")).toBe("trace-0123456789");
    const odd = await app.ask("GET", "/api/config", { headers: { "x-request-id": "<script>alert(1)</script>" } });
    expect(odd.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("the language", () => {
  test.each([
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh-CN", "请先登录"],
    ["zh-TW", "zh-CN", "请先登录"],
    ["en-GB,zh;q=0.5", "en-US", "Please log in"],
    ["fr", "en-US", "Please log in"],
    ["*", "en-US", "Please log in"],
    ["", "en-US", "Please log in"],
  ])("of %j is %s", async (accepted, language, message) => {
    const answer = await app.ask("GET", "/api/auth/me", { headers: { "accept-language": accepted } });
    expect(answer.headers.get("content-language")).toBe(language);
    expect(answer.headers.get("vary")).toContain("Accept-Language");
    expect(answer.body["message"]).toBe(message);
  });

  test("applies to each field's message, and to a success's message", async () => {
    const headers = { "accept-language": "zh" };
    const refused = await app.ask("POST", "/api/monitors", { as: "user", headers, body: { name: "" } });
    expect(refused.body["errors"]).toEqual([
      { path: "name", message: "请输入名称" },
      { path: "url", message: "此项为必填项" },
    ]);
    const paused = await app.ask("POST", "/api/monitors/7/pause", { as: "user", headers });
    expect(paused.body["message"]).toBe("监控项已暂停");
  });
});

describe("a path", () => {
  test.each([
    "/api",
    "/api/",
    "/api/nothing",
    "/api/monitors/7/nothing",
    "/api/monitors//",
    "/api/Monitors",
    "/api/auth",
  ])("%s is not found", async (path) => {
    const answer = await app.ask("GET", path, { as: "admin" });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ success: false, code: "not_found" });
  });

  test.each([
    ["PATCH", "/api/monitors/7", ["HEAD", "GET", "PUT", "DELETE", "OPTIONS"]],
    ["GET", "/api/auth/login", ["POST", "OPTIONS"]],
    ["DELETE", "/api/monitors", ["HEAD", "GET", "POST", "OPTIONS"]],
    ["GET", "/api/monitors/bulk", ["POST", "OPTIONS"]],
    ["DELETE", "/api/monitors/test", ["POST", "OPTIONS"]],
  ])("with another method than %s %s lists the allowed ones", async (method, path, allowed) => {
    const answer = await app.ask(method, path, { as: "admin" });
    expect(answer.status).toBe(405);
    expect(answer.body["code"]).toBe("method_not_allowed");
    expect(answer.headers.get("allow")?.split(", ").toSorted()).toEqual(allowed.toSorted());
  });

  test("responds to OPTIONS with its methods, without CORS permission", async () => {
    const answer = await app.ask("OPTIONS", "/api/monitors", { headers: { origin: "https://evil.example" } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("allow")).toContain("POST");
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("may end with a slash", async () => {
    expect((await app.ask("GET", "/api/monitors/7/", { as: "user" })).body["monitor"]).toMatchObject({ id: 7 });
  });

  test("responds to HEAD as to GET, without a body", async () => {
    const answer = await app.ask("HEAD", "/api/monitors", { as: "user" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(100);
  });

  test.each(["0", "-1", "1.5", "abc", "1e3", "2147483648", "99999999999999999999", "%37", "%31%00", "7%2f8"])(
    "with the id %s is not found",
    async (id) => {
      const answer = await app.ask("GET", `/api/monitors/${id}`, { as: "user" });
      expect(answer.status).toBe(404);
      expect(answer.body["message"]).toBe("Monitor does not exist");
    },
  );

  test("with another noun uses that noun's message", async () => {
    const answer = await app.ask("GET", "/api/users/none", { as: "admin" });
    expect(answer.body["message"]).toBe("User does not exist");
  });
});

test.each([
  ["/api/monitors?page=0", "page"],
  ["/api/monitors?pageSize=201", "pageSize"],
  ["/api/monitors?page=1&page=2", "page"],
  ["/api/monitors?sort=password", "sort"],
  ["/api/monitors?sort=name;drop%20table%20users", "sort"],
  ["/api/monitors?status=broken", "status"],
  ["/api/monitors?nosuch=1", "nosuch"],
  ["/api/monitors/7/history?range=1y", "range"],
  ["/api/monitors/7/checks?before=yesterday", "before"],
  ["/api/monitors/7/checks?limit=0", "limit"],
  ["/api/incidents?target=monitor:1%20or%201=1", "target"],
  ["/api/incidents?open=maybe", "open"],
])("a query such as %s is rejected with its name", async (path, name) => {
  const answer = await app.ask("GET", path, { as: "user" });
  expect(answer.status).toBe(400);
  expect(answer.body["errors"]).toMatchObject([{ path: name }]);
});
