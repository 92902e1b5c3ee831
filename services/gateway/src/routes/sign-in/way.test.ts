import { request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { unavailable } from "@sonde/kit/errors";
import { startTestApp, type TestApp, testConfig } from "../../testing/test-app.ts";

let app: TestApp;
let secure: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  secure = await startTestApp({ config: { ...testConfig, publicUrl: "https://sonde.example.com" } });
});
afterEach(() => app.fakes.heal());
afterAll(() => Promise.all([app.stop(), secure.stop()]));

type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; body: string };

/** Like a browser, but without following redirects. */
const visit = (
  { url }: { url: string },
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
const cookie = `sonde-flow-s=${"f".repeat(43)}`;

describe("starting a sign-in", () => {
  test("redirects to the provider, and sets a cookie that scripts cannot read", async () => {
    const answer = await visit(app, "/api/auth/oidc/main/start?next=/monitors/7");
    expect(answer).toMatchObject({ status: 302, headers: { location: "https://id.example.com/auth?state=s" } });
    expect(answer.headers["set-cookie"]).toEqual([`${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600`]);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(app.fakes.calls.at(-1)).toMatchObject({
      method: "startSignIn",
      request: { slug: "main", next: "/monitors/7" },
    });
  });

  test("sets a cookie per tab; the sixth replaces the oldest", async () => {
    const others = ["a", "b", "c", "d", "e"].map((id) => `sonde-flow-${id}=${"o".repeat(43)}`);
    const cookiesAfter = async (some: string[]) =>
      (await visit(app, "/api/auth/oidc/main/start", { headers: { cookie: some.join("; ") } })).headers["set-cookie"];
    expect(await cookiesAfter(others.slice(0, 4))).toEqual([expect.stringContaining(`${cookie};`)]);
    expect(await cookiesAfter(others)).toEqual([
      "sonde-flow-a=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0",
      expect.stringContaining(`${cookie};`),
    ]);
    const query = "code=x&state=s";
    await visit(app, `/api/auth/oidc/main/callback?${query}`, { headers: { cookie: [...others, cookie].join("; ") } });
    expect(app.fakes.calls.at(-1)?.request).toMatchObject({ query, flow: "f".repeat(43) });
  });

  test("uses a cookie prefix over https that other hosts cannot set", async () => {
    const answer = await visit(secure, "/api/auth/oidc/main/start");
    expect(answer.headers["set-cookie"]).toEqual([
      `__Host-${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure`,
    ]);
    expect(secure.fakes.calls.at(-1)?.request).toMatchObject({ origin: "https://sonde.example.com" });
  });

  test.each([
    "//evil.example.com",
    "https://evil.example.com",
    "/\\evil.example.com",
    "/a\nb",
    "monitors",
    "/%5c%5ce\t",
  ])("does not return to another site: %j", async (next) => {
    app.fakes.calls.length = 0;
    const answer = await visit(app, `/api/auth/oidc/main/start?next=${encodeURIComponent(next)}`);
    expect(answer.status).toBe(400);
    expect(app.fakes.calls).toEqual([]);
  });

  test("redirects to the login page if the provider is unavailable", async () => {
    expect(await visit(app, "/api/auth/oidc/away/start")).toMatchObject({
      status: 302,
      headers: { location: "/login?error=provider-away" },
    });
    app.fakes.refuse("startSignIn", unavailable("auth"));
    expect(await visit(app, "/api/auth/oidc/main/start")).toMatchObject({
      status: 302,
      headers: { location: "/login?error=failed" },
    });
    expect((await visit(app, "/api/auth/oidc/No_Such/start")).status).toBe(404);
    expect((await visit(app, "/api/auth/oidc/main/start", { method: "POST" })).status).toBe(405);
  });
});

describe("finishing a sign-in", () => {
  test("passes query and cookie to auth, and redirects with a code", async () => {
    const answer = await visit(app, "/api/auth/oidc/main/callback?code=x&state=s", { headers: { cookie } });
    expect(answer).toMatchObject({ status: 302, headers: { location: `/login/complete?code=${"c".repeat(43)}.s` } });
    expect(app.fakes.calls.at(-1)?.request).toMatchObject({ query: "code=x&state=s", flow: "f".repeat(43) });
  });

  test("without the cookie, or with a long query, redirects to the login page", async () => {
    const location = async (path: string, headers = {}) => (await visit(app, path, { headers })).headers.location;
    expect(await location("/api/auth/oidc/main/callback?code=x&state=s")).toBe("/login?error=expired");
    expect(await location("/api/auth/oidc/main/callback?code=x&state=t", { cookie })).toBe("/login?error=expired");
    const long = `/api/auth/oidc/main/callback?code=${"x".repeat(9000)}`;
    expect(await location(long, { cookie })).toBe("/login?error=not-valid");
  });

  test("exchanges the code for a session, and deletes the cookie", async () => {
    const answer = await app.ask("POST", "/api/auth/oidc/exchange", {
      body: { code: `${"c".repeat(43)}.s` },
      headers: { cookie: `${cookie}; sonde-flow-t=${"g".repeat(43)}` },
    });
    expect(answer.body).toMatchObject({ success: true, next: "/monitors", user: { username: "ugo" } });
    // Another tab's cookie stays.
    expect(answer.headers.get("set-cookie")).toMatch(/^sonde-flow-s=; [^,]*Max-Age=0$/);
    expect(app.fakes.calls.at(-1)?.request).toMatchObject({ code: "c".repeat(43), flow: "f".repeat(43) });
  });
});

test("a provider's logout is acknowledged after auth ended the sessions", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const post = (body: string) => visit(app, "/api/auth/oidc/main/logout", { method: "POST", headers: form, body });
  expect(await post("logout_token=good")).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect((await post("logout_token=bad")).status).toBe(400);
  expect((await post("")).status).toBe(400);
  expect((await post(`logout_token=${"x".repeat(70_000)}`)).status).toBe(413);
});

test("passkeys use the public origin, and are not available at an IP address", async () => {
  const asked = (some: TestApp) =>
    some.fakes.calls.filter(({ method }) => method === "registrationState").at(-1)?.request;
  await visit(app, "/api/config");
  expect(asked(app)).toEqual({ origin: "" });
  await visit(app, "/api/config", { headers: { host: "localhost:8080" } });
  expect(asked(app)).toEqual({ origin: "http://localhost:8080" });
  await visit(secure, "/api/config");
  expect(asked(secure)).toEqual({ origin: "https://sonde.example.com" });
});

test("the web app learns the ways to sign in; an older auth has only passwords", async () => {
  expect((await app.ask("GET", "/api/config")).body["signIn"]).toEqual({ passwords: "on", providers: [] });
});
