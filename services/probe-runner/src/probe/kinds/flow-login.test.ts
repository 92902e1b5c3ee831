import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type CheckDraft, parseCheck } from "@sonde/proto/http/monitors/kinds";
import { afterEach, describe, expect, it } from "vitest";
import { probe } from "../../testing/check.ts";
import { closeServers, serveHttp } from "../../testing/loopback.ts";

afterEach(closeServers);

type Steps = Extract<CheckDraft, { type: "flow" }>["steps"];
const run = async (steps: Steps) => {
  const parsed = parseCheck({ type: "flow", steps });
  if (!parsed.success) throw parsed.error;
  const outcome = await probe(parsed.data);
  return "error" in outcome ? outcome.error?.message : outcome.status;
};

/** Like Django's admin (5.2): a hidden form token that belongs to a cookie, and a new one after a login. */
async function serveAdmin(padding = "") {
  let logins = 0;
  const tokenOf = (cookie: string) => `form-of-${cookie}`;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const cookies = new Map(
      (request.headers.cookie ?? "").split("; ").map((pair) => pair.split("=", 2) as [string, string]),
    );
    const csrf = cookies.get("csrftoken") ?? `csrf+${logins}&`;
    const form = () => {
      response.setHeader("set-cookie", `csrftoken=${csrf}; Max-Age=31449600; Path=/; SameSite=Lax`);
      const hidden = `<input type="hidden" name="csrfmiddlewaretoken" value="${tokenOf(csrf)}">`;
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(`<html>${padding}<form id="login-form">${hidden}</form></html>`);
    };
    const { url = "", method } = request;
    if (url.startsWith("/admin/login/")) {
      if (method === "GET") return form();
      const sent = new URLSearchParams(await text(request));
      if (!cookies.has("csrftoken") || sent.get("csrfmiddlewaretoken") !== tokenOf(csrf)) {
        return response.writeHead(403).end("CSRF verification failed");
      }
      if (sent.get("password") !== "p+w&d é") return form();
      logins++;
      const set = [`csrftoken=rotated; Path=/`, "sessionid=sess10n; HttpOnly; Path=/; SameSite=Lax"];
      return response.writeHead(302, { location: sent.get("next") ?? "/", "set-cookie": set }).end();
    }
    if (cookies.get("sessionid") !== "sess10n") {
      return response.writeHead(302, { location: `/admin/login/?next=${url}` }).end();
    }
    return response.end("<h1>Site administration</h1>");
  };
  return serveHttp((...exchange) => void answer(...exchange));
}

const token = { name: "csrf", source: "body", property: 'name="csrfmiddlewaretoken" value="([^"]+)"' } as const;
const login = (origin: string, { password = "p+w&d é", extract = [token] as Steps[number]["extract"] } = {}): Steps => [
  { name: "form", url: `${origin}/admin/login/`, extract },
  {
    name: "login",
    method: "POST",
    url: `${origin}/admin/login/`,
    headers: [{ name: "Content-Type", value: "application/x-www-form-urlencoded" }],
    body: `csrfmiddlewaretoken={{csrf}}&username=admin&password=${encodeURIComponent(password)}&next=%2Fadmin%2F`,
    assertions: [{ source: "body", op: "contains", value: "Site administration" }],
    extract: [{ name: "session", source: "cookie", property: "sessionid" }],
  },
  {
    name: "page",
    url: `${origin}/admin/auth/user/?s={{session}}`,
    assertions: [{ source: "body", op: "contains", value: "Site administration" }],
  },
];

describe("a flow that logs in with a form", () => {
  it("sends the page's hidden token, and its cookie", async () => {
    expect(await run(login(await serveAdmin()))).toBe("up");
  });

  it("finds the token in a page of half a megabyte", async () => {
    expect(await run(login(await serveAdmin("<style>".padEnd(500_000, "x"))))).toBe("up");
  });

  it("is down if the login is refused", async () => {
    expect(await run(login(await serveAdmin(), { password: "wrong" }))).toBe(
      "Step 2 (login): Expected the body to contain Site administration",
    );
  });

  it.each([
    [{ ...token, property: "no such (token)" }, "Step 1 (form): The response has no value for csrf"],
    [{ ...token, source: "cookie", property: "xsrf" }, "Step 1 (form): The response has no value for csrf"],
  ] as const)("is down if the page has no %j", async (extraction, message) => {
    expect(await run(login(await serveAdmin(), { extract: [extraction] }))).toBe(message);
  });

  it("reports that a page beyond 1 MiB is too large, not that it has no token", async () => {
    const origin = await serveAdmin("x".repeat(1_100_000));
    expect(await run(login(origin))).toBe("Step 1 (form): The body is larger than 1 MiB");
  });
});

describe("an extraction", () => {
  const faults = (extraction: object) => {
    const parsed = parseCheck({
      type: "flow",
      steps: [{ url: "https://a.test/", extract: [{ name: "a", ...extraction }] }],
    });
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  };
  const oneGroup = "The regular expression needs exactly one group in parentheses, around the value";

  it.each([
    [{ source: "body", property: String.raw`a\((b)[(] (?:c)(?i)\Q(\E` }, []],
    [{ source: "body", property: "(?P<name>a)" }, []],
    [{ source: "body", property: "a" }, [oneGroup]],
    [{ source: "body", property: "(a)(b)" }, [oneGroup]],
    [{ source: "body" }, ["This field is required"]],
    [{ source: "cookie", property: "sessionid" }, []],
    [{ source: "cookie", property: "a=b" }, ["This is not a valid cookie name"]],
  ])("uses a pattern with one group for the body, and a name for cookies: %j", (extraction, expected) => {
    expect(faults(extraction)).toEqual(expected);
  });
});
