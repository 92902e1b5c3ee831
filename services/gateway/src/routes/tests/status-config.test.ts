import { AppError, unavailable } from "@sonde/kit/errors";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp, testConfig } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const put = (body: unknown) => app.ask("PUT", "/api/status/config", { as: "user", body });
const preview = (body: unknown) => app.ask("POST", "/api/status/config/preview", { as: "user", body });

describe("the configuration of the public page", () => {
  test("is returned in full, with the page's path", async () => {
    const { body } = await app.ask("GET", "/api/status/config", { as: "viewer" });
    expect(body).toEqual({ success: true, config: defaultStatusConfig, publicUrl: "/status" });
  });

  test("has the page's absolute URL if PUBLIC_URL is set", async () => {
    const publicUrl = "https://sonde.example.com";
    const known = await startTestApp({ config: { ...testConfig, publicUrl } });
    const headers = { host: "sonde.example.com" };
    const { body } = await known.ask("GET", "/api/status/config", { as: "viewer", headers });
    await known.stop();
    expect(body["publicUrl"]).toBe("https://sonde.example.com/status");
  });

  test("is saved in part, and only that part is passed on", async () => {
    const { body } = await put({ title: " Our status ", monitors: [7, 7], theme: {} });
    expect(body).toMatchObject({
      message: "Status page configuration saved",
      config: { ...defaultStatusConfig, title: "Our status", monitors: [7] },
      publicUrl: "/status",
    });
    expect(app.fakes.calls.map(({ method, request }) => [method, request])).toEqual([
      ["updateConfig", { title: "Our status", monitors: [7], theme: { mode: "auto", accent: "#2563eb" } }],
    ]);
  });

  test.each([
    ["title", { title: "  " }],
    ["logoUrl", { logoUrl: "javascript:alert(1)" }],
    ["theme.accent", { theme: { accent: "red" } }],
    ["embedOrigins.0", { embedOrigins: ["https://example.com/path"] }],
    ["embedOrigins.0", { embedOrigins: ["https://*.example.com"] }],
    ["embedOrigins.0", { embedOrigins: ["https://example.com;sandbox"] }],
    ["monitors.0", { monitors: [0] }],
    ["names.0.name", { names: [{ type: "monitor", id: 1, name: "" }] }],
    ["colour", { colour: "red" }],
  ])("is rejected if %s is invalid, without calling a service", async (path, body) => {
    for (const answer of [await put(body), await preview(body)]) {
      expect(answer.status).toBe(400);
      expect(answer.body["errors"]).toMatchObject([{ path }]);
    }
    expect(app.fakes.calls).toEqual([]);
  });

  test("that refers to a missing target is rejected with its path, in the reader's language", async () => {
    const details = [{ path: "monitors.3", message: "There is no monitor with ID {id}", params: { id: 9 } }] as const;
    app.fakes.refuse("updateConfig", new AppError("impossible", "The request is not valid", { details }));
    const headers = { "accept-language": "zh-CN" };
    const { status, body } = await app.ask("PUT", "/api/status/config", { as: "user", body: {}, headers });
    expect([status, body["errors"]]).toEqual([422, [{ path: "monitors.3", message: "不存在 ID 为 9 的监控项" }]]);
  });

  test("cannot be read while status-page is unavailable", async () => {
    app.fakes.refuse("getConfig", unavailable("status-page"));
    const { status } = await app.ask("GET", "/api/status/config", { as: "viewer" });
    expect(status).toBe(503);
  });
});

describe("a preview", () => {
  test("is the page as a private document", async () => {
    const title = "Only a preview";
    app.fakes.handlers.statusPage.previewPage = async () => ({
      html: gzipSync(`<title>${title}</title>`).toString("base64"),
    });
    const { status, body } = await preview({ title });
    expect([status, body["html"]]).toEqual([200, expect.stringContaining(title)]);
    const published = await app.ask("GET", "/status", { headers: { accept: "text/html" } });
    expect(published.text).not.toContain(title);
  });

  test("that cannot be decompressed is an internal error", async () => {
    app.fakes.handlers.statusPage.previewPage = async () => ({ html: "no gzip" });
    expect((await preview({})).status).toBe(500);
  });
});
