import { createGuard } from "@sonde/kit/egress/guard";
import type { HttpMethod } from "@sonde/proto/http/monitors/checks/http";
import { afterEach, describe, expect, it } from "vitest";
import { check, kindOf, resolverOf } from "../../testing/check.ts";
import { closeServers, serveHttp } from "../../testing/loopback.ts";

afterEach(closeServers);

async function serveRedirect(code: number, location: string, seen: Record<string, unknown>[] = []) {
  return serveHttp(async (request, response) => {
    if (request.url === "/from") return response.writeHead(code, { location }).end("moved");
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ method: request.method, url: request.url, body, ...request.headers });
    return response.end("ok");
  });
}

const secrets = [
  { name: "Authorization", value: "Bearer 1" },
  { name: "Cookie", value: "a=b" },
  { name: "X-Api-Key", value: "k" },
  { name: "X-Plain", value: "p" },
  { name: "Content-Type", value: "text/plain" },
];

describe("a redirect", () => {
  it.each<[number, HttpMethod, HttpMethod, string]>([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "DELETE", "GET", ""],
    [303, "HEAD", "HEAD", ""],
    [301, "PUT", "PUT", "data"],
    [302, "DELETE", "DELETE", "data"],
    [307, "POST", "POST", "data"],
    [308, "PATCH", "PATCH", "data"],
  ])("%i turns %s into %s", async (code, method, then, body) => {
    const seen: Record<string, unknown>[] = [];
    const origin = await serveRedirect(code, "../to?x=1", seen);
    const sent = method === "HEAD" ? {} : { body: "data" };
    expect(await check(`${origin}/from`, { method, headers: secrets, ...sent })).toMatchObject({ status: "up" });
    expect(seen).toMatchObject([{ method: then, url: "/to?x=1", body, authorization: "Bearer 1", "x-plain": "p" }]);
    expect(seen[0]?.["content-type"]).toBe(body === "" && then === "GET" ? undefined : "text/plain");
  });

  it("to another origin carries no secrets", async () => {
    const seen: Record<string, unknown>[] = [];
    const other = await serveRedirect(200, "", seen);
    const origin = await serveRedirect(307, `${other}/there`, seen);
    await check(`${origin}/from`, { headers: [...secrets, { name: "Host", value: "old.example" }] });
    expect(seen).toMatchObject([{ url: "/there", "x-plain": "p", host: new URL(other).host }]);
    expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(JSON.stringify(seen)).not.toMatch(/Bearer 1|a=b|"k"/);
  });

  it("is followed with cookies set along the way, which evidence does not show", async () => {
    const seen: (string | undefined)[] = [];
    const origin = await serveHttp((request, response) => {
      seen.push(request.headers.cookie);
      if (request.url === "/from") {
        return response.writeHead(302, { location: "/to", "set-cookie": "sid=0f9e8d7c; Path=/" }).end();
      }
      return response.writeHead(request.headers.cookie === undefined ? 401 : 503).end("session 0f9e8d7c");
    });
    const outcome = await check(`${origin}/from`);
    expect(outcome).toMatchObject({ statusCode: 503 });
    expect(seen).toEqual([undefined, "sid=0f9e8d7c"]);
    if (outcome.status !== "down") throw new Error("up");
    expect(JSON.stringify(outcome.evidence?.({ keepBody: true }))).not.toContain("0f9e8d7c");
    await check(`${origin}/to`);
    expect(seen.at(-1)).toBeUndefined();
  });

  it("is a regular response if it must not be followed", async () => {
    const origin = await serveRedirect(302, "/to");
    const outcome = await check(`${origin}/from`, { followRedirects: false, expectedStatus: "302" });
    expect(outcome).toMatchObject({ status: "up", statusCode: 302 });
  });

  it("ends after ten", async () => {
    let requests = 0;
    const origin = await serveHttp((_request, response) => {
      requests++;
      response.writeHead(302, { location: "/again" }).end();
    });
    expect(await check(origin)).toMatchObject({ error: { kind: "protocol", message: "More than 10 redirects" } });
    expect(requests).toBe(11);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/",
    "http://0xa9fea9fe/",
    "//169.254.169.254/",
    "http://metadata.test/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
  ])("to %s is blocked", async (location) => {
    const origin = await serveRedirect(302, location);
    const resolver = resolverOf({
      "127.0.0.1": { addresses: ["127.0.0.1"] },
      "169.254.169.254": { addresses: ["169.254.169.254"] },
      "::ffff:a9fe:a9fe": { addresses: ["::ffff:a9fe:a9fe"] },
      "metadata.test": { addresses: ["192.0.2.1", "169.254.169.254"] },
    });
    expect(kindOf(await check(`${origin}/from`, {}, { resolver }))).toBe("blocked");
  });

  it("with an unusable address is a protocol error; without any it is a regular response", async () => {
    const broken = await serveRedirect(302, "http://[oops/");
    expect(kindOf(await check(`${broken}/from`))).toBe("protocol");
    const bare = await serveHttp((_request, response) => response.writeHead(304).end());
    expect(await check(bare, { expectedStatus: "304" })).toMatchObject({ status: "up" });
  });
});

describe("the guard", () => {
  it("rejects an address before dialling", async () => {
    let connections = 0;
    const origin = await serveHttp((_request, response) => {
      connections++;
      response.end();
    });
    const guard = createGuard({ denyCidrs: ["127.0.0.0/8"] });
    expect(kindOf(await check(origin, {}, { guard }))).toBe("blocked");
    expect(connections).toBe(0);
  });

  it("dials the address it checked: names are resolved once per hop", async () => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    const resolver = resolverOf({ "rebind.test": { addresses: ["127.0.0.1"] } });
    const url = `http://rebind.test:${new URL(origin).port}/`;
    expect(await check(url, {}, { resolver })).toMatchObject({ status: "up" });
    expect(resolver.queries).toEqual(["rebind.test"]);
  });

  it("allows the next address to be tried if one does not answer", async () => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    const resolver = resolverOf({ "two.test": { addresses: ["127.0.0.2", "127.0.0.1"] } });
    expect(await check(`http://two.test:${new URL(origin).port}/`, {}, { resolver })).toMatchObject({ status: "up" });
    expect(resolver.queries).toEqual(["two.test"]);
  });
});
