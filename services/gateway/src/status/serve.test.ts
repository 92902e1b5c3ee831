import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import type { PageLanguage } from "@sonde/proto/http/status/languages";
import { AppError } from "@sonde/kit/errors";
import { fakeClock } from "@sonde/kit/time/clock";
import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { fakePublicPage, fakeView } from "../testing/fake-public-page.ts";
import { fakeSite } from "../testing/fake-site.ts";
import { fakeImage } from "../testing/fake-status-page.ts";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

const site = await fakeSite();
let app: TestApp | null = null;
afterEach(async () => {
  await app?.stop();
  app = null;
});

const html = { accept: "text/html" };
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  app!.ask(method, path, { headers: { ...html, ...headers } });
const withPage = (page: Partial<PageSnapshot["page"]>): PageSnapshot => ({
  ...fakeSnapshot,
  page: { ...fakeSnapshot.page, ...page },
});

async function startWith(snapshot: PageSnapshot = fakeSnapshot, overrides: Parameters<typeof startTestApp>[0] = {}) {
  const view = fakeView();
  await view.publish({ snapshot, states: fakeStates });
  app = await startTestApp({ status: await fakePublicPage({ view }), ...overrides });
  return view;
}

/** Fetches without decompressing. */
const bytesOf = (path: string, headers: Record<string, string>): Promise<{ encoding: unknown; bytes: Buffer }> =>
  new Promise((resolve, reject) => {
    request({ port: app!.port, host: "127.0.0.1", path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ encoding: response.headers["content-encoding"], bytes: Buffer.concat(chunks) }),
      );
    })
      .on("error", reject)
      .end();
  });

describe("the public page", () => {
  test("is a document that shared caches may store", async () => {
    await startWith();
    const answer = await ask("/status");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(answer.text).toContain("Example status");
    expect(answer.headers.get("cache-control")).toBe(
      "public, max-age=5, stale-while-revalidate=60, stale-if-error=86400",
    );
    expect(answer.headers.get("vary")).toBe("Accept-Encoding, Accept-Language");
  });

  test.each([
    ["/status", {}, "zh-CN"],
    ["/status", { "accept-language": "*" }, "zh-CN"],
    ["/status", { "accept-language": "de, fr;q=0.5" }, "en-US"],
    ["/status", { "accept-language": "zh-TW" }, "zh-CN"],
    ["/status?lang=en-US", { "accept-language": "zh-CN" }, "en-US"],
    ["/status?lang=zh-CN&utm_source=mail", { "accept-language": "en" }, "zh-CN"],
    ["/status?lang=tlh", { "accept-language": "en" }, "en-US"],
  ] as [string, Record<string, string>, string][])("%s with %j is in %s", async (path, headers, language) => {
    await startWith();
    // fetch adds `accept-language: *` by default.
    const answer = await ask(path, headers);
    expect(answer.headers.get("content-language")).toBe(language);
  });

  test.each([
    [["de", "ja"], { "accept-language": "ja-JP, en;q=0.5" }, "ja"],
    [["de", "ja"], { "accept-language": "*" }, "de"],
    [["de", "ja"], { "accept-language": "en" }, "de"],
    [["de", "en-US"], { "accept-language": "fr" }, "en-US"],
    [["en-US", "zh-CN", "zh-TW"], { "accept-language": "zh-HK" }, "zh-TW"],
    [["en-US", "pt-BR"], { "accept-language": "pt" }, "pt-BR"],
  ] as [PageLanguage[], Record<string, string>, string][])(
    "of %j with %j is in %s",
    async (languages, headers, language) => {
      await startWith(withPage({ languages }));
      const answer = await ask("/status", headers);
      expect([answer.status, answer.headers.get("content-language")]).toEqual([200, language]);
      expect((await ask("/status?lang=ko", headers)).headers.get("content-language")).toBe(language);
      expect((await ask("/api/status/badges/7.svg", headers)).headers.get("content-language")).toBe(language);
    },
  );

  test("has its own style sheet, and a policy that allows nothing else", async () => {
    const view = await startWith(withPage({ css: "a{background:url(data:image/png;base64,AA==)}" }));
    const page = await ask("/status");
    expect(page.headers.get("content-security-policy")).toMatch(/style-src 'self';.* img-src data: 'self';/);
    const sheet = await ask(/href="(\/status\/style\.css\?v=[^"]+)"/.exec(page.text)![1]!);
    expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    expect(sheet.text).toContain("data:image/png");
    await view.publish({ snapshot: withPage({ css: "" }) });
    expect((await ask("/status/style.css")).status).toBe(404);
    expect((await ask("/status")).headers.get("content-security-policy")).toContain("img-src 'self';");
    view.allow({ mode: "password" });
    expect((await ask("/status/style.css")).status).toBe(404);
  });

  test("is not sent again until it changes", async () => {
    const view = await startWith();
    const first = await ask("/api/status");
    const tag = { "if-none-match": first.headers.get("etag")! };
    expect((await ask("/api/status", tag)).status).toBe(304);
    await view.publish({
      states: { revision: 2, atMs: fakeStates.atMs, monitors: { 7: { status: "down", sinceMs: 1 } }, agents: {} },
    });
    const changed = await ask("/api/status", tag);
    expect([changed.status, changed.body]).toMatchObject([200, { status: { state: "down" } }]);
  });

  test("is marked as outdated three minutes after its last update", async () => {
    const clock = fakeClock(fakeStates.atMs);
    app = await startTestApp({ status: await fakePublicPage({ clock }) });
    clock.advance(180_000);
    expect((await ask("/api/status")).body).toMatchObject({ status: { outdated: false } });
    clock.advance(1);
    expect((await ask("/api/status")).body).toMatchObject({ status: { outdated: true } });
  });

  test("is sent compressed if accepted", async () => {
    const monitors = Array.from({ length: 40 }, (_, id) => ({ ...fakeSnapshot.monitors[0]!, id: id + 1 }));
    await startWith({ ...fakeSnapshot, monitors });
    const [plain, br, gz] = await Promise.all(
      ["identity", "gzip, br", "gzip"].map((encoding) => bytesOf("/api/status", { "accept-encoding": encoding })),
    );
    expect([plain!.encoding, br!.encoding, gz!.encoding]).toEqual([undefined, "br", "gzip"]);
    expect(brotliDecompressSync(br!.bytes)).toEqual(plain!.bytes);
    expect(gunzipSync(gz!.bytes)).toEqual(plain!.bytes);
  });

  test("responds to HEAD without a body, and to no other method", async () => {
    await startWith();
    const [head, post] = [await ask("/status", {}, "HEAD"), await ask("/status", {}, "POST")];
    expect([head.status, head.text]).toEqual([200, ""]);
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("has one canonical URL", async () => {
    await startWith();
    const answer = await fetch(`${app!.url}/status/?lang=en-US`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([301, "/status?lang=en-US"]);
  });

  test("leaves its configuration to the web app", async () => {
    await startWith(fakeSnapshot, { site });
    for (const path of ["/status/config", "/status/config/preview"]) {
      expect((await ask(path)).text).toBe("<!doctype html><title>Sonde</title>");
    }
    expect((await ask("/status/configuration")).status).toBe(404);
  });

  test("is served only under its own host names", async () => {
    const config = { ...testConfig, publicUrl: "https://status.example.com" };
    await startWith(fakeSnapshot, { config });
    const status = await new Promise((resolve, reject) => {
      const asked = request({ port: app!.port, host: "127.0.0.1", path: "/status", headers: { host: "evil.example" } });
      asked.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
      asked.end();
    });
    expect(status).toBe(421);
  });
});

describe("an uploaded logo", () => {
  const logo = { id: "L".repeat(22), type: "image/svg+xml" as const, bytes: Buffer.from("<svg/>") };
  const path = `/status/image.${logo.id}`;

  test("is served from the page's own address, and cannot run scripts", async () => {
    const view = await startWith(withPage({ logo: logo.id, logoUrl: "https://cdn.example/old.png" }));
    await view.publish({ images: [logo] });
    const page = await ask("/status");
    expect(page.text).toContain(`<img src="${path}"`);
    expect(page.text).toContain(`<link rel="icon" href="${path}"`);
    expect(page.headers.get("content-security-policy")).toContain("img-src 'self';");
    const image = await ask(path);
    expect([image.status, image.text, image.headers.get("content-type")]).toEqual([200, "<svg/>", "image/svg+xml"]);
    expect(image.headers.get("content-security-policy")).toMatch(/^default-src 'none'.*; sandbox$/);
    expect(image.headers.get("x-content-type-options")).toBe("nosniff");
    expect(image.headers.get("cache-control")).toBe("public, max-age=86400");
    expect((await ask("/api/status")).body).toMatchObject({ status: { logoUrl: path } });
    await view.publish({ images: [] });
    expect((await ask(path)).status).toBe(404);
  });

  test("can be read before a page uses it, but not often, because that reads the database", async () => {
    let reads = 0;
    const linkReads = async () => {
      if (++reads > 1) throw new AppError("too_many", "Too many requests, please try again later");
    };
    await startWith(fakeSnapshot, { linkReads });
    const address = `/api/status/images/${fakeImage.id}`;
    const statuses = [await ask(address), await ask(address)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
  });

  test("is private if the page is", async () => {
    const view = await startWith(withPage({ logo: logo.id }));
    await view.publish({ images: [logo] });
    view.allow({ mode: "public", allowFrom: ["127.0.0.0/8"] });
    expect((await ask(path)).headers.get("cache-control")).toBe("private, no-store");
    view.allow({ mode: "password" });
    expect((await ask(path)).status).toBe(404);
  });
});

describe("before the page is available", () => {
  test("visitors see that it is being prepared, and it reloads by itself", async () => {
    app = await startTestApp({ status: await fakePublicPage({ view: fakeView() }) });
    const [page, data, feed] = [await ask("/status"), await ask("/api/status"), await ask("/api/status/feed.atom")];
    expect([page.status, data.status, feed.status]).toEqual([503, 503, 503]);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain("页面正在准备");
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(page.headers.get("refresh")).toBe("2");
    expect(page.headers.get("cache-control")).toMatch(/no-store/);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(data.body).toMatchObject({ success: false, code: "unavailable" });
    expect((await ask("/api/status/badges/7.svg")).status).toBe(503);
    expect((await ask("/api/status/events")).status).toBe(503);
  });
});

describe("what the page does not show", () => {
  test("is indistinguishable from what does not exist", async () => {
    await startWith({
      ...fakeSnapshot,
      incidents: [{ id: "m5", kind: "down", targets: [], openedAt: "2026-01-31T11:00:00.000Z", updates: [] }],
    });
    expect((await ask("/status/incidents/m5")).status).toBe(200);
    const paths = ["/status/incidents/m6", "/status/incidents/p99999", "/status/incidents/x", "/status/incidents/x/y"];
    const answers = await Promise.all(paths.map((path) => ask(path)));
    const responses = answers.map(({ status, text, headers }) => {
      const shown = Object.fromEntries([...headers].filter(([name]) => !["date", "x-request-id"].includes(name)));
      return JSON.stringify([status, text, shown]);
    });
    expect(answers[0]!.status).toBe(404);
    expect(answers[0]!.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(new Set(responses).size).toBe(1);
  });
});

describe("the headers of a document", () => {
  const policyOf = (answer: { headers: Headers }, directive: string) =>
    (answer.headers.get("content-security-policy") ?? "").split("; ").find((part) => part.startsWith(directive));

  test("forbid frames and foreign images by default", async () => {
    await startWith();
    const answer = await ask("/status");
    expect(policyOf(answer, "frame-ancestors")).toBe("frame-ancestors 'none'");
    expect(policyOf(answer, "img-src")).toBe("img-src 'self'");
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
    expect(answer.headers.get("x-robots-tag")).toBeNull();
  });

  test("allow configured sites to frame the page and the footer line only", async () => {
    const embedOrigins = ["https://shop.example", "https://blog.example:8443"];
    await startWith(withPage({ embedOrigins }));
    for (const path of ["/status", "/status/embed"]) {
      const answer = await ask(path);
      expect(policyOf(answer, "frame-ancestors")).toBe(
        "frame-ancestors https://shop.example https://blog.example:8443",
      );
      expect(answer.headers.get("x-frame-options")).toBeNull();
    }
    for (const path of ["/status/history", "/status/none"]) {
      const answer = await ask(path);
      expect(policyOf(answer, "frame-ancestors")).toBe("frame-ancestors 'none'");
      expect(answer.headers.get("x-frame-options")).toBe("DENY");
    }
  });

  test("allow the logo's site, and cannot be extended by configured text", async () => {
    const view = await startWith(withPage({ logoUrl: "https://cdn.example/logo.svg?v=1" }));
    expect(policyOf(await ask("/status"), "img-src")).toBe("img-src 'self' https://cdn.example");
    await view.publish({
      snapshot: {
        ...withPage({ logoUrl: "javascript:alert(1)", embedOrigins: ["https://a.example; script-src *", "*"] }),
        revision: 2,
      },
    });
    const policy = (await ask("/status")).headers.get("content-security-policy");
    expect(policy).toContain("img-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("script-src *");
    const odd = ["https://a.example;sandbox", "https://b.example,default-src", "https://*", "https://*.example"];
    await view.publish({ snapshot: { ...withPage({ logoUrl: odd[0]!, embedOrigins: odd }), revision: 3 } });
    const third = (await ask("/status")).headers.get("content-security-policy");
    expect(third).toContain("img-src 'self';");
    expect(third).toContain("frame-ancestors 'none'");
  });

  test("exclude search engines if the page is not searchable", async () => {
    await startWith(withPage({ searchable: false }));
    for (const path of ["/status", "/status/history", "/api/status", "/api/status/feed.atom"]) {
      expect((await ask(path)).headers.get("x-robots-tag"), path).toBe("noindex");
    }
  });

  test("allow other sites to read JSON, the feed and badges", async () => {
    await startWith();
    for (const path of ["/api/status", "/api/status/feed.atom", "/api/status/badges/7.svg"]) {
      const { status, headers } = await ask(path);
      expect(status).toBe(200);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(headers.get("cache-control")).toContain("public");
      expect(headers.get("etag")).not.toBeNull();
    }
    expect((await ask("/status")).headers.get("access-control-allow-origin")).toBeNull();
  });

  test("allow no other site while only this machine reaches the gateway, unless PUBLIC_URL is set", async () => {
    const allowed = async (publicUrl: string | null) => {
      await app?.stop();
      await startWith(fakeSnapshot, { config: { ...testConfig, host: "127.0.0.1", publicUrl } });
      const paths = ["/api/status", "/api/status/feed.atom", "/api/status/badges/7.svg"];
      const answers = [
        ...(await Promise.all(paths.map((path) => ask(path)))),
        await ask("/api/status/events", {}, "HEAD"),
      ];
      return answers.map(({ headers }) =>
        ["access-control-allow-origin", "cross-origin-resource-policy"].map((name) => headers.get(name)).join(" "),
      );
    };
    expect(new Set(await allowed(null))).toEqual(new Set([" same-origin"]));
    expect(new Set(await allowed("http://status.example.com"))).toEqual(new Set(["* cross-origin"]));
  });
});

describe("a badge", () => {
  test("exists only for what the page shows", async () => {
    await startWith();
    const kinds = ["", "?kind=status", "?kind=uptime", "?kind=response"];
    for (const kind of kinds) expect((await ask(`/api/status/badges/7.svg${kind}`)).status).toBe(200);
    const unknown = await Promise.all([8, 2_147_483_648, "x"].map((id) => ask(`/api/status/badges/${id}.svg`)));
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await ask("/api/status/badges/7.svg?kind=url")).status).toBe(400);
  });

  test("has no response time if the page shows none", async () => {
    await startWith(withPage({ showResponseTimes: false }));
    expect((await ask("/api/status/badges/7.svg?kind=response")).status).toBe(404);
  });
});
