import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "../../context.ts";
import { tokenHash } from "../../sessions/sessions.ts";
import { fakeChannel, fakeDelivery } from "../../testing/fake-notifier.ts";
import { fakeMonitor } from "../../testing/fakes.ts";
import { principals, sessionsByHash } from "../../testing/principals.ts";
import { pathOf, startTestApp, type TestApp } from "../../testing/test-app.ts";
import { routes } from "../routes.ts";

const cause = "The job ended with exit code 2";
const output = "PGPASSWORD=canary";
const answers = [fakeChannel(7).refusal!.answer, fakeDelivery.attempts[0]!.answer];
const secrets = [output, ...answers];

let app: TestApp;
const keys = new Map<string, Session>();
function newKey(owner: "user" | "viewer", scopes: NonNullable<Session["key"]>["scopes"]): string {
  const token = `sonde_${"x".repeat(40)}${keys.size}`;
  const session = sessionsByHash.get(tokenHash(principals[owner].token))!;
  keys.set(token, { ...session, key: { id: keys.size + 1, scopes, allowFrom: [] } });
  return token;
}
const readKey = newKey("user", ["read"]);
const writeKey = newKey("user", ["read", "incidents"]);

/** Turns each failed check and incident of the fakes into that of a job. */
function failingJob(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("500 is not 200", `${cause}: ${output}`)) as unknown;
}

beforeAll(async () => {
  const plain = await startTestApp();
  await plain.stop();
  const { sessions } = plain.deps;
  const resolve = async (token: string) => keys.get(token) ?? sessions.resolve(token);
  app = await startTestApp({ sessions: { ...sessions, resolve } });
  const { monitors, metrics, notifications, incidents } = app.fakes.handlers;
  // A page in two parts.
  const down = (id: number) => ({ ...fakeMonitor(id), status: "down" as const, lastError: "500 is not 200" });
  monitors.listMonitors = async ({ ids = [7] }) => ({
    monitors: ids.map(down),
    total: 2,
    restIds: ids.includes(7) ? [8] : [],
  });
  for (const handlers of [monitors, metrics, notifications, incidents.monitors] as Record<string, unknown>[]) {
    for (const [method, handle] of Object.entries(handlers)) {
      handlers[method] = async (...args: unknown[]) =>
        failingJob(await (handle as (...given: unknown[]) => Promise<unknown>)(...args));
    }
  }
});
afterAll(() => app.stop());

const reads = routes.filter(
  ({ method, path, who, answer }) =>
    method === "GET" && (who === "session" || who === "anyone") && typeof answer !== "string" && path !== "/api/config",
);
const readAs = async (token: string) => {
  const texts: Record<string, string> = {};
  for (const { path } of reads) texts[path] = (await app.ask("GET", pathOf(path), { token })).text;
  return texts;
};
const withSecrets = (texts: Record<string, string>) =>
  Object.keys(texts).filter((path) => secrets.some((secret) => texts[path]!.includes(secret)));

const restricted = [
  "/api/dashboard",
  "/api/incidents",
  "/api/incidents/:id",
  "/api/monitors",
  "/api/monitors/:id/checks",
  "/api/monitors/:id/incidents",
  "/api/notifications/channels",
  "/api/notifications/deliveries",
];

test.each([
  ["a user", principals.user.token],
  ["a key that writes", writeKey],
])("%s sees job output and providers' responses", async (_, token) => {
  expect(withSecrets(await readAs(token)).toSorted()).toEqual(restricted);
});

test.each([
  ["a viewer", principals.viewer.token],
  ["a key of a viewer", newKey("viewer", ["read", "incidents"])],
  ["a key that only reads", readKey],
])("%s sees neither on any route, but sees the cause", async (_, token) => {
  const texts = await readAs(token);
  expect(withSecrets(texts)).toEqual([]);
  const withCause = Object.keys(texts).filter((path) => texts[path]!.includes(cause));
  expect(withCause.toSorted()).toEqual(restricted.filter((path) => !path.includes("notifications")));
  expect(texts["/api/notifications/deliveries"]).toContain("The provider's response is shown only to users");
  expect(texts["/api/incidents/:id"]).not.toContain("Cannot reach the database");
});

test("a search finds output only for those who may read it", async () => {
  const searched = async (token: string) => {
    app.fakes.calls.length = 0;
    await app.ask("GET", "/api/incidents?search=canary", { token });
    return app.fakes.calls.find(({ method }) => method === "monitors.listIncidents")?.request;
  };
  expect(await searched(readKey)).toMatchObject({ filter: { hideOutput: true } });
  expect(await searched(writeKey)).not.toHaveProperty("filter.hideOutput", true);
});

test("MCP tools show no more", async () => {
  const call = async (token: string, name: string, args: object) => {
    const params = { name, arguments: args };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    return (await app.ask("POST", "/mcp", { token, body, headers: { accept: "application/json" } })).text;
  };
  for (const [name, args] of [
    ["list_problems", {}],
    ["monitor_history", { monitor: 7 }],
    ["explain_notifications", { incident: "m5" }],
  ] as const) {
    const [reader, writer] = [await call(readKey, name, args), await call(writeKey, name, args)];
    expect([name, reader.includes(cause), reader.includes(output)]).toEqual([name, true, false]);
    expect([name, writer.includes(output)]).toEqual([name, true]);
  }
});
