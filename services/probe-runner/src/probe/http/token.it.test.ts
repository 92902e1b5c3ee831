import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createGuard } from "@sonde/kit/egress/guard";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import Provider from "oidc-provider";
import { afterEach, describe, expect, it } from "vitest";
import { createJudging } from "../judging.ts";
import { runProbe } from "../probes.ts";
import { check, kindOf, resolverOf, targetOf } from "../../testing/check.ts";
import { closeLater, closeServers, serveHttp } from "../../testing/loopback.ts";
import { createResolver } from "@sonde/kit/egress/resolver";

afterEach(closeServers);

const secret = "s3cret:with colon & %";

/** An OAuth 2 server that knows two clients, one per authentication method; `requests` counts its tokens. */
async function serveOAuth({ lifeSeconds = 600 } = {}) {
  const server = createServer();
  closeLater(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { client_secret: secret, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: "basic", token_endpoint_auth_method: "client_secret_basic", scope: "orders" },
      { ...client, client_id: "body", token_endpoint_auth_method: "client_secret_post", scope: "orders" },
    ],
    scopes: ["orders", "secrets"],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: lifeSeconds },
  });
  const handle = provider.callback() as RequestListener;
  const requests: string[] = [];
  server.on("request", (request, response) => {
    requests.push(String(request.headers.authorization).split(" ", 1)[0]!);
    handle(request, response);
  });
  const isValid = async (header = "") => {
    const token = await provider.ClientCredentials.find(header.replace(/^Bearer /, ""));
    return token !== undefined && !token.isExpired;
  };
  return { tokenUrl: `${issuer}/token`, requests, isValid };
}

type OAuth = NonNullable<CheckOf<"http">["oauth"]>;
const clientOf = (tokenUrl: string, more: Partial<OAuth> = {}): OAuth => ({
  tokenUrl,
  clientId: "basic",
  clientSecret: secret,
  authentication: "basic",
  ...more,
});

const serveApi = (isValid: (header?: string) => Promise<boolean>, seen: unknown[] = []) =>
  serveHttp((request, response) => {
    seen.push(request.headers.authorization);
    void isValid(request.headers.authorization).then((is) => response.writeHead(is ? 200 : 401).end("answer"));
  });

function runnerOf(draft: Parameters<typeof targetOf>[0], clock: Clock = systemClock) {
  const target = targetOf(draft);
  const context = { clock, judging: createJudging(clock), guard: createGuard(), resolver: createResolver() };
  return () => runProbe(target, { ...context, signal: AbortSignal.timeout(20_000) });
}

describe("client credentials", () => {
  it.each(["basic", "body"] as const)("yield a token that the API accepts (%s)", async (authentication) => {
    const { tokenUrl, requests, isValid } = await serveOAuth();
    const oauth = clientOf(tokenUrl, { clientId: authentication, authentication, scope: "orders" });
    const seen: unknown[] = [];
    const run = runnerOf({
      url: await serveApi(isValid, seen),
      oauth,
      headers: [{ name: "authorization", value: "x" }],
    });
    expect(await run()).toMatchObject({ status: "up" });
    expect(await run()).toMatchObject({ status: "up" });
    expect(requests).toEqual([authentication === "basic" ? "Basic" : "undefined"]);
    expect(seen).toEqual([expect.stringMatching(/^Bearer [\w-]+$/), seen[0]]);
  });

  it("are used again after a 401, but only once", async () => {
    const { tokenUrl, requests } = await serveOAuth();
    let open = true;
    const seen: unknown[] = [];
    const run = runnerOf({ url: await serveApi(async () => open, seen), oauth: clientOf(tokenUrl) });
    expect(await run()).toMatchObject({ status: "up" });
    open = false;
    expect(await run()).toMatchObject({ status: "down", statusCode: 401 });
    expect(requests).toHaveLength(2);
    expect(new Set(seen).size).toBe(2);
    expect(seen).toHaveLength(3);
  });

  it("are used again after a token has expired", async () => {
    const { tokenUrl, requests, isValid } = await serveOAuth({ lifeSeconds: 60 });
    let laterMs = 0;
    const clock: Clock = { now: systemClock.now, elapsedMs: () => systemClock.elapsedMs() + laterMs };
    const run = runnerOf({ url: await serveApi(isValid), oauth: clientOf(tokenUrl) }, clock);
    await run();
    laterMs = 40_000;
    await run();
    expect(requests).toHaveLength(1);
    laterMs = 55_000;
    expect(await run()).toMatchObject({ status: "up" });
    expect(requests).toHaveLength(2);
  });

  it("do not count as response time", async () => {
    const tokens = await serveHttp((_request, response) => {
      setTimeout(() => response.end('{"access_token":"abc","token_type":"bearer"}'), 300);
    });
    const url = await serveApi(async (header) => header === "Bearer abc");
    const assertions = [{ source: "latency", op: "lessThan", value: 250 }] as const;
    expect(await check(url, { oauth: clientOf(tokens), assertions: [...assertions] })).toMatchObject({ status: "up" });
  });

  it("that are refused are reported as such", async () => {
    const { tokenUrl, isValid } = await serveOAuth();
    const url = await serveApi(isValid);
    expect(await check(url, { oauth: clientOf(tokenUrl, { clientSecret: "wrong" }) })).toMatchObject({
      status: "down",
      error: { kind: "status", message: "The token request was refused: invalid_client" },
    });
    expect(await check(url, { oauth: clientOf(tokenUrl, { scope: "secrets" }) })).toMatchObject({
      error: { message: "The token request was refused: invalid_scope" },
    });
    expect(await check(url, { oauth: clientOf("http://127.0.0.1:9/token") })).toMatchObject({
      error: { kind: "connect", message: "No token could be obtained: The connection was refused" },
    });
  });

  it.each([
    [200, "{}", "protocol", "The token response contains no usable token"],
    [200, '{"access_token":"a\\nb"}', "protocol", "The token response contains no usable token"],
    [200, '{"access_token":"a","token_type":"mac"}', "protocol", expect.stringContaining("no usable token")],
    [302, "", "status", "The token request was refused with status 302"],
    [400, `{"error":"${secret}"}`, "status", "The token request was refused with status 400"],
  ])("get no token from %i %s", async (status, body, kind, message) => {
    const other: unknown[] = [];
    const elsewhere = await serveApi(async () => true, other);
    const tokens = await serveHttp((_request, response) =>
      response.writeHead(status, { location: elsewhere }).end(body),
    );
    expect(await check(elsewhere, { oauth: clientOf(tokens) })).toMatchObject({ error: { kind, message } });
    expect(other).toEqual([]);
  });

  it("are sent only if the guard allows it", async () => {
    const resolver = resolverOf({ "meta.test": { addresses: ["169.254.169.254"] } });
    expect(kindOf(await check("http://127.0.0.1/", { oauth: clientOf("http://meta.test/") }, { resolver }))).toBe(
      "blocked",
    );
  });
});

describe("a token", () => {
  it("does not follow a redirect to another origin, and is not shown in evidence", async () => {
    const tokens = await serveHttp((_request, response) => response.end('{"access_token":"tok3n-value-1"}'));
    const seen: unknown[] = [];
    const other = await serveHttp((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(500).end();
    });
    const redirecting = await serveHttp((_request, response) => response.writeHead(302, { location: other }).end());
    expect(await check(redirecting, { oauth: clientOf(tokens) })).toMatchObject({ statusCode: 500 });
    expect(seen).toEqual([undefined]);

    const echo = await serveHttp((request, response) => {
      response.writeHead(500).end(`${request.headers.authorization} ${secret} ${encodeURIComponent(secret)}`);
    });
    const outcome = await check(echo, { oauth: clientOf(tokens) });
    const evidence = "evidence" in outcome ? outcome.evidence?.({ keepBody: true }) : undefined;
    expect(evidence?.body).toMatch(/^•+ •+ •+$/);
  });
});
