import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { unavailable } from "@sonde/kit/errors";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { fakeIncident } from "../testing/fakes.ts";
import { type FakeSystem, startFakeSystem } from "../testing/fake-system.ts";
import { principals } from "../testing/principals.ts";
import { startTestApp } from "../testing/test-app.ts";

const everything = `sonde_${"a".repeat(43)}`;
const reading = `sonde_${"b".repeat(43)}`;
const ofViewer = `sonde_${"c".repeat(43)}`;
const forMetrics = `sonde_${"d".repeat(43)}`;
const expired = `sonde_${"e".repeat(43)}`;
const publicUrl = "https://sonde.example.com";

let nats: EmbeddedServer;
let system: FakeSystem;
let gateway: Awaited<ReturnType<typeof start>>;
let url: URL;
const clients: Client[] = [];

beforeAll(async () => {
  nats = await startNats();
  system = await startFakeSystem(nats.url);
  const { user, viewer } = principals;
  await system.putKey(user, everything, ["read", "monitors", "incidents", "config"]);
  await system.putKey(user, reading, ["read"]);
  await system.putKey(viewer, ofViewer, ["read", "monitors", "incidents", "config"]);
  await system.putKey(user, forMetrics, ["metrics"]);
  await system.putKey(user, expired, ["read"], Date.now() - 1000);
  gateway = await start(
    readConfig({
      NATS_URL: nats.url,
      PORT: "0",
      LOG_LEVEL: "silent",
      GATEWAY_WAIT_SECONDS: "20",
      PUBLIC_URL: publicUrl,
    }),
  );
  url = new URL(`http://127.0.0.1:${gateway.address.port}/mcp`);
});
beforeEach(() => {
  system.fakes.heal();
  system.fakes.calls.length = 0;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await gateway?.stop();
  await system?.stop();
  await nats?.stop();
});

type Era = "legacy" | { pin: string };
/** The official client, which validates each response against the protocol's schemas. */
async function connect(secret: string, { mode = "legacy" as Era, headers = {} } = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${secret}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const texts = (content as { type: string; text: string }[]).map(({ text }) => text);
  return { text: texts.join("\n"), isError };
}

const post = (body: unknown, headers: Record<string, string> = {}, secret = everything) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

describe.each<[string, Era]>([
  ["2025-11-25", "legacy"],
  ["2026-07-28", { pin: "2026-07-28" }],
])("a client of %s", (version, mode) => {
  test("lists the tools that the key allows; writing needs a scope and the owner's role", async () => {
    const names = async (secret: string) => {
      const client = await connect(secret, { mode });
      expect(client.getServerVersion()).toMatchObject({ name: "sonde" });
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      const { tools } = await client.listTools();
      for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ additionalProperties: false });
      return tools.map(({ name }) => name);
    };
    const read = ["list_problems", "find_monitors", "monitor_history", "explain_notifications"];
    expect(await names(everything)).toEqual([...read, "acknowledge_incident", "check_monitor", "plan_config"]);
    expect(await names(reading)).toEqual(read);
    expect(await names(ofViewer)).toEqual(read);
    expect(await names(forMetrics)).toEqual([]);
  });

  test("gets sentences with ids and links", async () => {
    const client = await connect(everything, { mode });
    const problems = await call(client, "list_problems");
    expect(problems.text.split("\n")).toEqual([
      "Open incidents: 1.",
      "Monitors: 1 up, 1 down, 0 without data, 0 pending, 0 paused.",
      `Incident m5: monitor 7 is down (monitor 7), since ${fakeIncident.openedAt}: 500 is not 200. ${publicUrl}/incidents/m5`,
    ]);
    const found = await call(client, "find_monitors", { search: "monitor" });
    expect(found.text).toContain("Monitor 8: monitor 8 (https://example.com/health) is up since 2026-01-31T12:00:00");
    const history = await call(client, "monitor_history", { monitor: 7, range: "24h" });
    expect(history.text).toContain("66.667 % uptime, 1 of 3 checks failed, 60 % of due checks completed.");
    expect(history.text).toContain("median 9 ms, 95 % within – ms.");
    expect(history.text).toContain(`${publicUrl}/monitors/7`);
    const story = await call(client, "explain_notifications", { incident: "m5" });
    expect(story.text).toContain("- “Down” was delivered to Slack ops");
    expect(story.text).toContain("The next reminder is due at 2026-01-31T12:30:00.000Z.");
    const checked = await call(client, "check_monitor", { monitor: 7 });
    expect(checked.text).toContain("The check failed after 13 ms at default: 500 is not 200");
    const acknowledged = await call(client, "acknowledge_incident", { incident: "m5", note: "on it" });
    expect(acknowledged.text).toContain("Acknowledged by ugo: on it");
    const config = { monitors: { shop: { url: "https://shop.example.com/" } }, settings: { monitors: {} } };
    const planned = await call(client, "plan_config", { source: "prod-git", config });
    expect(planned.text.split("\n")).toEqual([
      "Objects to create: 1, fields to change: 1, objects to remove: 0, unchanged: 0.",
      "Create monitors.shop",
      "Change settings.monitors.x from 1 to 2",
    ]);
    expect(system.fakes.calls.map(({ method }) => method)).not.toContain("beginApply");
    for (const { isError } of [problems, found, history, story, checked, acknowledged, planned])
      expect(isError).toBe(false);
  });

  test("learns which scope or role is missing", async () => {
    const [key, viewer] = await Promise.all([connect(reading, { mode }), connect(ofViewer, { mode })]);
    await expect(call(key, "acknowledge_incident", { incident: "m5" })).rejects.toThrow(/lacks the scope incidents/);
    await expect(call(viewer, "check_monitor", { monitor: 7 })).rejects.toThrow(/not allowed to do this/);
    await expect(call(key, "drop_everything")).rejects.toThrow(/Unknown tool: drop_everything/);
    await expect(connect(expired, { mode })).rejects.toThrow(/Please log in|Unauthorized|401/);
    expect(system.fakes.calls.map(({ method }) => method)).not.toContain("monitors.acknowledgeIncident");
  });

  test("learns what was wrong with its arguments, or with a service", async () => {
    const client = await connect(everything, { mode });
    const wrong = await call(client, "monitor_history", { monitor: "seven", range: "1y", other: 1 });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toMatch(/monitor: .+\n.*range: .+\n.*other: Unknown field/s);
    expect(await call(client, "explain_notifications", { incident: "m404" })).toEqual({
      text: "Incident does not exist",
      isError: true,
    });
    system.fakes.refuse("checkNow", unavailable("monitors"));
    expect(await call(client, "check_monitor", { monitor: 7 })).toMatchObject({ isError: true });
    system.fakes.refuse("incidentStory", unavailable("notifier"));
    const story = await call(client, "explain_notifications", { incident: "m5" });
    expect(story.text).toContain("Not available at the moment: notifications.");
  });
});

test("sentences are in the caller's language", async () => {
  const client = await connect(everything, { headers: { "accept-language": "zh" } });
  expect((await call(client, "list_problems")).text).toContain("进行中的事件：1 个。");
});

test("links use the requested host, unless PUBLIC_URL is set", async () => {
  const app = await startTestApp();
  const body = { ...ping, method: "tools/call", params: { name: "list_problems" } };
  const { text } = await app.ask("POST", "/mcp", { as: "viewer", body });
  expect(text).toContain(`${app.url}/incidents/m5`);
  await app.stop();
});

test("a user's session works, too", async () => {
  await system.putSession(principals.viewer, "viewer");
  const client = await connect(principals.viewer.token);
  expect((await call(client, "list_problems")).isError).toBe(false);
});

test.each([
  ["no JSON", "{", {}, 400, -32700],
  ["nothing", "", {}, 400, -32700],
  ["a batch", [ping], {}, 400, -32600],
  ["another protocol", { ...ping, jsonrpc: "1.0" }, {}, 400, -32600],
  ["an id that is null", { ...ping, id: null }, {}, 400, -32600],
  ["a page of another site", ping, { origin: "https://evil.example.com" }, 403, -32600],
  ["another method", { ...ping, method: "resources/list" }, {}, 200, -32601],
  ["a call without a name", { ...ping, method: "tools/call", params: {} }, {}, 200, -32602],
  ["a version that is none", ping, { "mcp-protocol-version": "1900-01-01" }, 400, -32022],
  ["a header without its body", ping, { "mcp-protocol-version": "2026-07-28" }, 400, -32020],
])("%s is rejected as the protocol specifies", async (_case, body, headers, status, code) => {
  const answer = await post(body, headers as Record<string, string>);
  expect([answer.status, ((await answer.json()) as { error: { code: number } }).error.code]).toEqual([status, code]);
});

test("Sonde's own pages and notifications are accepted, and there is no stream", async () => {
  expect((await post(ping, { origin: publicUrl })).status).toBe(200);
  const taken = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect([taken.status, await taken.text()]).toEqual([202, ""]);
  for (const method of ["GET", "DELETE"]) {
    const answer = await fetch(url, { method, headers: { authorization: `Bearer ${everything}` } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  }
});

test("headers that name another tool than the body are rejected", async () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const body = { ...ping, method: "tools/call", params: { name: "list_problems", _meta: meta } };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
  const statusOf = async (name: string) => (await post(body, { ...headers, "mcp-name": name })).status;
  const encoded = `=?base64?${Buffer.from("list_problems").toString("base64")}?=`;
  expect([await statusOf("check_monitor"), await statusOf("list_problems"), await statusOf(encoded)]).toEqual([
    400, 200, 200,
  ]);
});

test("the usual rules apply to missing and expired keys, and to rates", async () => {
  const large = await post({ ...ping, params: { text: "x".repeat(65_536) } });
  expect([large.status, await large.json()]).toMatchObject([413, { code: "too_large" }]);
  const [none, old] = [await post(ping, {}, "sonde_that_was_never_made"), await post(ping, {}, expired)];
  expect([none.status, old.status]).toEqual([401, 401]);
  expect(await none.text()).toBe(await old.text());
});
