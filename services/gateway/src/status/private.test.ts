import { AppError, unavailable } from "@sonde/kit/errors";
import type { PageAccess } from "@sonde/proto/http/status/access";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { hash } from "node:crypto";
import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeKey, fakePublicPage, type FakeView, fakeView } from "../testing/fake-public-page.ts";
import { mailedToken, pagePassword } from "../testing/fake-status-page.ts";
import { fakeSite } from "../testing/fake-site.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

const site = await fakeSite();
let app: TestApp;
let acme: FakeView;
let page: FakeView;
const titled = (title: string) => ({ ...fakeSnapshot, page: { ...fakeSnapshot.page, title } });
const secret = "Own status of Acme";
const host = "status.acme.example";

beforeEach(async () => {
  acme = fakeView({ slug: "acme" });
  acme.allow({ mode: "password", hosts: [host] });
  await acme.publish({ snapshot: titled(secret), states: fakeStates });
  const status = await fakePublicPage({ others: { acme } });
  page = status.view;
  app = await startTestApp({ status, site, config: { ...testConfig, host: "127.0.0.1" } });
});
afterEach(() => app.stop());

type Sent = { method?: string; cookie?: string | undefined; form?: Record<string, string>; headers?: object };
type Got = { status: number; headers: Record<string, unknown>; text: string };

/** Sends a request with any host, like a browser. */
function send(path: string, { method, cookie, form, headers }: Sent = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const given = {
      accept: "text/html",
      "accept-language": "en",
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    };
    const options = { port: app.port, host: "127.0.0.1", path, headers: given };
    const asked = request({ ...options, method: method ?? (body === undefined ? "GET" : "POST") }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    asked.on("error", reject).end(body);
  });
}
const cookieFrom = ({ headers }: Got) => (headers["set-cookie"] as string[] | undefined)?.[0]?.split(";")[0];
const open = async (form: Record<string, string> = { password: pagePassword }, path = "/status/acme") => {
  const answer = await send(path, { form });
  expect(answer.status).toBe(303);
  return cookieFrom(answer)!;
};

describe("a page with a password", () => {
  test.each([
    "",
    "/",
    "/history",
    "/incidents/p1",
    "/embed",
    "/data.json",
    "/feed.atom",
    "/badges/7.svg",
    "/image.aaaaaaaaaaaaaaaaaaaaaa",
    "/events",
    "/x",
  ])("looks like a missing page, at %s", async (rest) => {
    const both = await Promise.all(["acme", "beta"].map((slug) => send(`/status/${slug}${rest}`)));
    const [locked, missing] = both.map(({ status, headers, text }) => {
      const { date: _, "x-request-id": __, location, ...others } = headers;
      return { status, text, headers: { ...others, location: String(location).replace(/acme|beta/, "") } };
    });
    expect(locked).toEqual(missing);
    expect(locked!.text).not.toContain(secret);
    if (rest === "/") return;
    expect(locked!.status).toBe(404);
    expect(locked!.headers).toMatchObject({ "cache-control": "private, no-store", "x-robots-tag": "noindex" });
  });

  test("opens with its password for the client with the cookie, and only that page", async () => {
    const answer = await send("/status/acme/history", { form: { password: pagePassword } });
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/status/acme/history"]);
    expect(String(answer.headers["set-cookie"])).toMatch(
      /^sonde-page-acme=\d+\.p\.[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    );
    const cookie = cookieFrom(answer)!;
    const shown = await send("/status/acme", { cookie });
    expect([shown.status, shown.text.includes(secret)]).toEqual([200, true]);
    expect(shown.headers).toMatchObject({ "cache-control": "private, no-store", "x-robots-tag": "noindex" });
    for (const rest of ["/data.json", "/feed.atom", "/badges/7.svg"]) {
      const data = await send(`/status/acme${rest}`, { cookie });
      expect([rest, data.status]).toEqual([rest, 200]);
      expect(data.headers["access-control-allow-origin"]).toBeUndefined();
      expect(data.headers["cache-control"]).toBe("private, no-store");
    }
    const renamed = cookie.replace("acme", "beta");
    expect((await send("/status/beta", { cookie: renamed })).status).toBe(404);
  });

  test("says in the form what is wrong, and when to retry", async () => {
    const wrong = await send("/status/acme?lang=en", { form: { password: "guess" } });
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining("Incorrect page password")]);
    const unknown = await send("/status/beta?lang=en", { form: { password: "guess" } });
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text]);
    app.fakes.refuse(
      "unlockPage",
      new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 90 }),
    );
    const late = await send("/status/acme", { form: { password: "guess" } });
    expect([late.status, late.headers["retry-after"]]).toEqual([429, "90"]);
  });

  test("is not unlocked by a form of another site", async () => {
    const headers = { origin: "https://attacker.example" };
    const answer = await send("/status/acme", { form: { password: pagePassword }, headers });
    expect([answer.status, cookieFrom(answer)]).toEqual([403, undefined]);
  });

  test("stays unlocked while every service is unavailable, but does not unlock", async () => {
    const cookie = await open();
    app.fakes.refuse("unlockPage", unavailable("status-page"));
    expect((await send("/status/acme", { cookie })).status).toBe(200);
    expect((await send("/status/acme", { form: { password: pagePassword } })).status).toBe(503);
  });

  test("is locked by a new key and by deletion, which also ends streams", async () => {
    const cookie = await open();
    const stream = await fetch(`${app.url}/status/acme/events`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    acme.allow({ mode: "password", key: Buffer.alloc(32, 9).toString("base64") });
    expect(await stream.text()).toContain("event: status");
    expect((await send("/status/acme", { cookie })).status).toBe(404);
    acme.allow(null);
    expect((await send("/status/acme", { cookie })).status).toBe(404);
  });

  test("is limited to its networks, if it has any", async () => {
    const access: Partial<PageAccess> = { mode: "password", allowFrom: ["192.0.2.0/24"] };
    const cookie = await open();
    acme.allow(access);
    expect((await send("/status/acme", { cookie })).status).toBe(404);
    const answer = await send("/status/acme", { form: { password: pagePassword } });
    expect([answer.status, cookieFrom(answer)]).toEqual([403, undefined]);
    acme.allow({ ...access, allowFrom: ["127.0.0.0/8"] });
    expect((await send("/status/acme", { cookie })).status).toBe(200);
    acme.allow({ mode: "public", allowFrom: ["no network"] });
    expect((await send("/status/acme", { cookie })).status).toBe(404);
  });
});

describe("a link", () => {
  const token = "a-token-of-43-characters-that-was-shared";
  const links = (expiresAtMs?: number) => [
    { id: 3, hash: hash("sha256", token, "base64url"), ...(expiresAtMs !== undefined && { expiresAtMs }) },
  ];

  test("changes nothing when opened, and looks the same for every page", async () => {
    acme.allow({ mode: "members", links: links() });
    const [one, other] = [
      await send(`/status/acme/open?token=${token}`),
      await send(`/status/beta/open?token=${token}`),
    ];
    expect([one.status, one.text, cookieFrom(one)]).toEqual([other.status, other.text, undefined]);
    expect(app.fakes.calls).toEqual([]);
  });

  test("unlocks with its button until deleted", async () => {
    acme.allow({ mode: "members", links: links() });
    const answer = await send("/status/acme/open", { form: { token } });
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/status/acme"]);
    const cookie = cookieFrom(answer)!;
    expect((await send("/status/acme", { cookie })).status).toBe(200);
    acme.allow({ mode: "members", links: [] });
    expect((await send("/status/acme", { cookie })).status).toBe(404);
    expect((await send("/status/acme/open", { form: { token } })).status).toBe(400);
  });

  test("that expires invalidates its cookies", async () => {
    acme.allow({ mode: "members", links: links(Date.now() + 60_000) });
    const answer = await send("/status/acme/open", { form: { token } });
    expect(String(answer.headers["set-cookie"])).toMatch(/Max-Age=(?:59|60);/);
    acme.allow({ mode: "members", links: links(Date.now() - 1) });
    expect((await send("/status/acme", { cookie: cookieFrom(answer) })).status).toBe(404);
    expect((await send("/status/acme/open", { form: { token } })).status).toBe(400);
  });

  test("in a mail is redeemed by the service", async () => {
    acme.allow({ mode: "mail" });
    expect(
      (await send("/status/acme", { cookie: await open({ token: mailedToken }, "/status/acme/open") })).status,
    ).toBe(200);
    const asked = await send("/status/acme", { form: { email: "ann@example.com", lang: "en-US" } });
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining("a link is on its way")]);
    const unknown = await send("/status/beta", { form: { email: "ann@example.com", lang: "en-US" } });
    expect(unknown.text).toBe(asked.text);
  });
});

describe("a member", () => {
  const unlock = (query = "") => app.ask("POST", `/api/pages/acme/unlock${query}`, { as: "viewer", body: {} });

  test("unlocks a page with a session", async () => {
    acme.allow({ mode: "members" });
    expect((await app.ask("POST", "/api/pages/acme/unlock", { body: {} })).status).toBe(401);
    const answer = await unlock();
    expect(answer.body).toMatchObject({ url: "/status/acme" });
    const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
    expect((await send("/status/acme", { cookie })).status).toBe(200);
  });

  test("gets a ticket for a page's own host, which is not a cookie", async () => {
    acme.allow({ mode: "members", hosts: [host] });
    const answer = await unlock(`?host=${host}`);
    expect(answer.headers.get("set-cookie")).toBeNull();
    const url = new URL(String(answer.body["url"]));
    expect([url.hostname, url.pathname]).toEqual([host, "/open"]);
    const token = url.searchParams.get("token")!;
    expect((await send("/status/acme", { cookie: `sonde-page-acme=${token}` })).status).toBe(404);
    const opened = await send("/open", { form: { token }, headers: { host, origin: `http://${host}` } });
    expect([opened.status, opened.headers["location"]]).toEqual([303, "/"]);
    expect((await send("/", { cookie: cookieFrom(opened), headers: { host } })).text).toContain(secret);
    const again = await send("/open", { form: { token }, headers: { host, origin: `http://${host}` } });
    expect([again.status, cookieFrom(again)]).toEqual([400, undefined]);
    expect((await unlock("?host=elsewhere.example")).body).toMatchObject({ url: "/status/acme" });
  });

  test("is redirected from a locked or missing page to the app", async () => {
    acme.allow({ mode: "members", hosts: [host] });
    const places = await Promise.all(
      ["/status/acme?members", "/status/beta/history?members"].map(async (path) => {
        const { status, headers } = await send(path);
        return [status, headers["location"]];
      }),
    );
    expect(places).toEqual([
      [302, "/status/config?open=acme"],
      [302, "/status/config?open=beta"],
    ]);
    expect((await send("/?members", { headers: { host } })).status).toBe(404);
    await app.stop();
    const status = await fakePublicPage({ others: { acme } });
    app = await startTestApp({ status, config: { ...testConfig, publicUrl: "https://sonde.example.com" } });
    const hosted = await send("/?members", { headers: { host } });
    expect(hosted.headers["location"]).toBe(`https://sonde.example.com/status/config?open=acme&host=${host}`);
  });

  test("cannot unlock with an API key", async () => {
    const sessions = { ...app.deps.sessions };
    const resolve = async (token: string) => {
      const session = await sessions.resolve(token);
      return session === null ? null : { ...session, key: { id: 1, scopes: [], allowFrom: [] } };
    };
    vi.spyOn(app.deps.sessions, "resolve").mockImplementation(resolve);
    expect((await unlock()).status).toBe(403);
    vi.restoreAllMocks();
  });
});

describe("a page's own host", () => {
  const at = (path: string, sent: Sent = {}) => send(path, { ...sent, headers: { host, ...sent.headers } });

  test("serves the page, and nothing else of Sonde", async () => {
    const cookie = await open();
    for (const path of ["/", "/history", "/status/acme", "/status/acme/history", "/data.json", "/feed.atom"]) {
      expect([path, (await at(path, { cookie })).status]).toEqual([path, 200]);
      expect([path, (await at(path)).status]).toEqual([path, 404]);
    }
    const paths = [
      "/api/monitors",
      "/api/config",
      "/api/status",
      "/api/pages/acme/unlock",
      "/mcp",
      "/login",
      "/monitors",
    ];
    paths.push("/status", "/status/config", "/status/beta", "/agent/v1/register", "/install.sh", "/index.html");
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const { status, text } = await at(path, { method, cookie });
        expect([method, path, status === 404 || status === 303]).toEqual([method, path, true]);
        expect(text).not.toContain("<title>Sonde</title>");
      }
    }
    expect((await at("/favicon.svg")).status).toBe(200);
    expect(app.fakes.calls.map(({ method }) => method)).toEqual(["unlockPage"]);
  });

  test("has one canonical URL", async () => {
    const answer = await at("/status/acme/");
    expect([answer.status, answer.headers["location"]]).toEqual([301, "/"]);
  });

  test("redirects to no other host", async () => {
    const answer = await at("//evil.example", { form: { password: pagePassword } });
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/"]);
  });

  test("is confirmed to proxies that request certificates, regardless of case", async () => {
    const ask = (domain: string, asked = "gateway") =>
      send(`/api/hosts/ask?domain=${domain}`, { headers: { host: asked } });
    expect(await ask(host)).toMatchObject({ status: 200, text: "" });
    expect((await ask("STATUS.acme.example.")).status).toBe(200);
    expect((await ask("localhost")).status).toBe(404);
    expect((await ask("", "localhost")).status).toBe(404);
    expect((await ask(host, host)).status).toBe(404);
  });

  test("is unknown after the page gives it up", async () => {
    acme.allow({ mode: "password" });
    expect((await at("/")).status).toBe(421);
  });
});

describe("a private default page", () => {
  test("is locked with all its data", async () => {
    page.allow({ mode: "password" });
    for (const path of ["/status", "/status/history", "/status/nothing"]) {
      const answer = await send(path);
      expect([path, answer.status, answer.headers["cache-control"]]).toEqual([path, 404, "private, no-store"]);
    }
    for (const path of ["", "/feed.atom", "/badges/7.svg", "/events"]) {
      const answer = await app.ask("GET", `/api/status${path}`);
      expect([path, answer.status, answer.body["code"]]).toEqual([path, 404, "not_found"]);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("accepts no subscription from visitors who may not read it", async () => {
    page.allow({ mode: "password" });
    expect((await send("/status/subscribe", { form: { email: "a@example.com" } })).status).toBe(404);
    expect((await app.ask("POST", "/api/status/subscribers", { body: { email: "a@example.com" } })).status).toBe(404);
    expect(app.fakes.calls).toEqual([]);
  });
});

test("the cookies' key appears in no response", async () => {
  const cookie = await open();
  const texts = await Promise.all(["/status/acme", "/status/acme/data.json"].map((path) => send(path, { cookie })));
  expect(texts.map(({ text }) => text).join("")).not.toContain(fakeKey);
});

test("with TLS the cookie has the prefix that no other host can set", async () => {
  await app.stop();
  const status = await fakePublicPage({ others: { acme } });
  app = await startTestApp({ status, config: { ...testConfig, publicUrl: "https://sonde.example.com" } });
  const answer = await send("/status/acme", { form: { password: pagePassword } });
  expect(String(answer.headers["set-cookie"])).toMatch(/^__Host-sonde-page-acme=\S+; Path=\/; .*; Secure$/);
  const cookie = cookieFrom(answer)!;
  expect((await send("/status/acme", { cookie })).status).toBe(200);
  expect((await send("/status/acme", { cookie: cookie.replace("__Host-", "") })).status).toBe(404);
});
