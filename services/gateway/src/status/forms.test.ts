import { AppError, unavailable } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakePublicPage, fakeView } from "../testing/fake-public-page.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const asked = (method: string) => app.fakes.calls.filter((one) => one.method === method).map(({ request }) => request);
const form = { "content-type": "application/x-www-form-urlencoded" };
const send = async (path: string, body: string, headers: Record<string, string> = form) => {
  const answer = await fetch(app.url + path, { method: "POST", body, headers, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe("the subscription form", () => {
  const wish = "lang=en-US&email=+reader%40example.com&services=monitor%3A7&services=agent%3A3";

  test("responds with a page that says what happens next", async () => {
    const answer = await send("/status/subscribe", wish);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(answer.text).toContain("Check your inbox");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(asked("subscribe")).toMatchObject([
      {
        email: "reader@example.com",
        language: "en-US",
        services: ["monitor:7", "agent:3"],
      },
    ]);
  });

  test("explains an invalid address in the form's language, without calling a service", async () => {
    const answer = await send("/status/subscribe", "lang=zh-CN&email=nobody");
    expect([answer.status, asked("subscribe")]).toEqual([400, []]);
    expect(answer.headers.get("content-language")).toBe("zh-CN");
  });

  test("is limited to five in ten minutes, with the time to wait", async () => {
    for (let at = 0; at < 5; at++) expect((await send("/status/subscribe", wish)).status).toBe(200);
    const answer = await send("/status/subscribe", wish);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(500);
  });

  test("accepts five hundred services, and no body over 16 KiB", async () => {
    const choice = Array.from({ length: 500 }, (_, at) => `&services=monitor%3A${1000 + at}`).join("");
    expect((await send("/status/subscribe", `email=a%40example.com${choice}`)).status).toBe(200);
    expect((await send("/status/subscribe", `email=a%40example.com&x=${"x".repeat(17_000)}`)).status).toBe(413);
    expect(asked("subscribe")).toHaveLength(1);
  });

  test("redirects to the page when opened as a link", async () => {
    const answer = await fetch(`${app.url}/status/subscribe`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/status"]);
  });
});

describe("a form that another site sends", () => {
  const text = "email=a%40example.com&token=abc";
  const paths = ["/status/subscribe", "/status/confirm", "/status/unsubscribe"];

  test.each([
    { origin: "https://attacker.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
  ])("is rejected: %j", async (headers) => {
    for (const path of paths) {
      const answer = await send(`${path}?lang=en-US`, text, { ...form, ...headers } as Record<string, string>);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).toContain("Forms submitted from other sites are not accepted");
    }
    expect(app.fakes.calls).toEqual([]);
  });

  test("is recognised by Origin and PUBLIC_URL", async () => {
    const own: Record<string, string>[] = [{ origin: app.url }, { origin: app.url, "sec-fetch-site": "same-origin" }];
    for (const headers of own) {
      for (const path of paths) expect((await send(path, text, { ...form, ...headers })).status).toBe(200);
    }
    await app.stop();
    app = await startTestApp({ config: { ...testConfig, publicUrl: "https://status.example.com" } });
    const headers = { ...form, origin: "https://status.example.com" };
    for (const path of paths) expect((await send(path, text, headers)).status).toBe(200);
    expect((await send(paths[0]!, text, { ...form, origin: "https://status.example.com:8443" })).status).toBe(403);
  });
});

describe("a link in a mail", () => {
  test.each(["/status/confirm", "/status/unsubscribe"])("to %s changes nothing when opened", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(`${app.url}${path}?token=abc&lang=en-US`, { method });
      expect(answer.status).toBe(200);
      // With `no-referrer` the form's own Origin would be `null`.
      expect(answer.headers.get("referrer-policy")).toBe("same-origin");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      if (method === "GET") expect(await answer.text()).toContain("abc");
    }
    expect([...asked("confirmSubscription"), ...asked("unsubscribe")]).toEqual([]);
  });

  test.each(["", "?token=", `?token=${"x".repeat(201)}`])("without a valid token (%s) reports that", async (query) => {
    expect((await fetch(`${app.url}/status/confirm${query}`)).status).toBe(400);
  });

  test("confirms with its button", async () => {
    const answer = await send("/status/confirm", "token=abc&lang=en-US");
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("You are subscribed");
    expect(asked("confirmSubscription")).toMatchObject([{ token: "abc" }]);
  });

  test("that is too old says so after its button is pressed", async () => {
    app.fakes.refuse("confirmSubscription", new AppError("invalid", "This link is invalid or has expired"));
    expect((await send("/status/confirm", "token=abc&lang=en-US")).status).toBe(400);
  });

  test.each([
    ["the button of its page", "/status/unsubscribe", "token=abc&lang=en-US", form],
    [
      "a mail program, by one click",
      "/status/unsubscribe?token=abc",
      "List-Unsubscribe=One-Click",
      { ...form, origin: "https://mail.example.org" },
    ],
    [
      "a mail program that sends parts",
      "/status/unsubscribe?token=abc",
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      { "content-type": "multipart/form-data; boundary=x" },
    ],
  ])("unsubscribes by %s, without a cookie", async (_who, path, body, headers) => {
    expect((await send(path, body, headers)).status).toBe(200);
    expect(asked("unsubscribe")).toMatchObject([{ token: "abc" }]);
  });
});

test("while status-page is unavailable each form reports it", async () => {
  for (const method of ["subscribe", "confirmSubscription", "unsubscribe"] as const) {
    app.fakes.refuse(method, unavailable("status"));
  }
  for (const path of ["/status/subscribe", "/status/confirm", "/status/unsubscribe"]) {
    const answer = await send(path, "email=a%40example.com&token=abc&lang=en-US");
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 503, "text/html; charset=utf-8"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test("unsubscribing works before the page itself is available", async () => {
  await app.stop();
  app = await startTestApp({ status: await fakePublicPage({ view: fakeView() }) });
  const answer = await send("/status/unsubscribe?token=abc&lang=en-US", "List-Unsubscribe=One-Click");
  expect([answer.status, asked("unsubscribe")]).toMatchObject([200, [{ token: "abc" }]]);
  expect(answer.text).toContain("You have unsubscribed");
  const opened = await fetch(`${app.url}/status/unsubscribe?token=abc`);
  expect(opened.status).toBe(503);
});

test("other methods are rejected", async () => {
  const answer = await fetch(`${app.url}/status/confirm`, { method: "PUT" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
});
