import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "@sonde/kit/errors";
import { createHash } from "node:crypto";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => app.fakes.heal());
afterAll(() => app.stop());

describe("agents", () => {
  test("are listed with a total, and one is returned in full", async () => {
    const list = await app.ask("GET", "/api/agents?search=web&sort=-lastSeen&status=online", { as: "viewer" });
    expect(list.body).toMatchObject({ success: true, total: 1, agents: [{ id: 7, hostname: "web-1.example.com" }] });
    const one = await app.ask("GET", "/api/agents/7", { as: "viewer" });
    expect(one.body["agent"]).toMatchObject({ id: 7, status: "online", uptime: 86_400, interval: 15 });
    expect(one.body["agent"]).toMatchObject({ registeredAt: "2026-01-02T00:00:00.000Z", duplicateKey: true });
  });

  test.each(["cpu", "-memory", "disk", "-network", "load"])("are sorted by %s in agent-ingest", async (sort) => {
    app.fakes.calls.length = 0;
    expect((await app.ask("GET", `/api/agents?sort=${sort}`, { as: "viewer" })).status).toBe(200);
    expect(app.fakes.calls).toContainEqual(
      expect.objectContaining({ method: "listAgents", request: expect.objectContaining({ sort }) as object }),
    );
    const refused = await app.ask("GET", "/api/agents?sort=uptime", { as: "viewer" });
    expect(refused.body).toMatchObject({ success: false, errors: [{ path: "sort" }] });
  });

  test("have the effective thresholds and whose settings they are, null if nobody is notified", async () => {
    const { body } = await app.ask("GET", "/api/agents", { as: "viewer" });
    expect(body).toMatchObject({ agents: [{ thresholds: { cpu: 95, memory: null, disk: 90, scope: "agent" } }] });
  });

  test.each(["GET", "PUT", "DELETE"])("%s of a missing one is 404 with its id", async (method) => {
    const body = method === "PUT" ? { body: { name: "x" } } : {};
    for (const id of ["9", "0", "abc"]) {
      const answer = await app.ask(method, `/api/agents/${id}`, { as: "user", ...body });
      expect([answer.status, answer.body["message"]]).toEqual([404, `Agent with ID ${id} not found`]);
    }
  });

  test("have tags, which can be set, listed, and filtered by", async () => {
    const put = (tags: string[]) => app.ask("PUT", "/api/agents/7", { as: "user", body: { tags } });
    expect((await put([" eu ", "eu", "rack 1"])).body).toMatchObject({ agent: { tags: ["eu", "rack 1"] } });
    expect((await put([" "])).body["errors"]).toEqual([
      { path: "tags.0", message: "A tag must have 1 to 40 characters" },
    ]);
    expect((await put(Array.from({ length: 21 }, (_, index) => `tag ${index}`))).status).toBe(400);
    const { body } = await app.ask("GET", "/api/agents/tags", { as: "viewer" });
    expect(body).toMatchObject({ tags: [{ name: "eu", agents: 1 }], more: false });
    app.fakes.calls.length = 0;
    await app.ask("GET", "/api/agents?tag=eu&ids=7,8", { as: "viewer" });
    expect(app.fakes.calls[0]?.request).toMatchObject({ tag: "eu", ids: [7, 8] });
  });

  test("can be renamed, and the response is localised", async () => {
    const renamed = await app.ask("PUT", "/api/agents/7", { as: "user", body: { name: " shop " } });
    expect(renamed.body).toMatchObject({ message: "Agent updated successfully", agent: { name: "shop" } });
    const refused = await app.ask("PUT", "/api/agents/7", { as: "user", body: { name: "shop", hostname: "mine" } });
    expect(refused.body["errors"]).toEqual([{ path: "hostname", message: "Unknown field" }]);
    const deleted = await app.ask("DELETE", "/api/agents/7", { as: "user" });
    expect(deleted.body["message"]).toBe("Agent successfully deleted");
  });

  test("are 503 while agent-ingest is unavailable", async () => {
    const params = { service: "agents" };
    const away = new AppError("unavailable", "The {service} service is currently unavailable", { params });
    app.fakes.refuse("listAgents", away);
    const answer = await app.ask("GET", "/api/agents", { as: "user" });
    expect([answer.status, answer.body["code"]]).toEqual([503, "unavailable"]);
  });
});

describe("a registration token", () => {
  const make = (host?: string) =>
    app.ask("POST", "/api/agents/tokens", { as: "user", body: {}, ...(host ? { headers: { host } } : {}) });

  test("is returned with commands that contain it and the requested address", async () => {
    const answer = await make();
    expect(answer.status).toBe(201);
    const { token, install } = answer.body as { token: string; install: Record<string, string> };
    expect(Object.keys(install).toSorted()).toEqual(["linux", "macos", "systemd", "windows"]);
    for (const text of Object.values(install)) {
      expect(text).toContain(token);
      expect(text).toContain(app.url);
      expect(text).toContain(`${app.url}/downloads`);
    }
  });

  test("is returned with one line that runs the gateway's own script, and its checksum", async () => {
    const { token, oneLine } = (await make()).body as {
      token: string;
      oneLine: { command: string; scriptSha256: string };
    };
    expect(oneLine.command).toContain(token);
    expect(oneLine.command).toContain(`'${app.url}/install.sh'`);
    const script = await fetch(`${app.url}/install.sh`);
    const text = await script.text();
    expect(createHash("sha256").update(text).digest("hex")).toBe(oneLine.scriptSha256);
    expect(text).not.toContain(token);
    expect(script.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await app.ask("POST", "/install.sh", { body: {} })).status).toBe(405);
  });

  test("is valid for at most a month, and only for an existing agent", async () => {
    for (const body of [{ expiresInHours: 0 }, { expiresInHours: 721 }, { agentId: -1 }, { role: "admin" }]) {
      expect((await app.ask("POST", "/api/agents/tokens", { as: "user", body })).status).toBe(400);
    }
  });
});

describe("incidents", () => {
  test("of monitors and agents are one list, newest first; a target's are its own", async () => {
    const all = await app.ask("GET", "/api/incidents", { as: "user" });
    expect([all.body["total"], (all.body["incidents"] as { id: string }[]).map(({ id }) => id)]).toEqual([1, ["m5"]]);
    app.fakes.calls.length = 0;
    const agents = await app.ask("GET", "/api/incidents?target=agent:3&open=true", { as: "user" });
    expect(agents.body).toMatchObject({ total: 0, incidents: [] });
    expect(app.fakes.calls).toMatchObject([
      { method: "agents.listIncidents", request: { filter: { targetId: 3, open: true } } },
    ]);
  });

  test("are found by id, each in its own service", async () => {
    app.fakes.calls.length = 0;
    await app.ask("GET", "/api/incidents?ids=a3,a4", { as: "viewer" });
    expect(app.fakes.calls).toMatchObject([{ method: "agents.listIncidents", request: { filter: { ids: [3, 4] } } }]);
    app.fakes.calls.length = 0;
    await app.ask("GET", "/api/incidents?ids=m5,a3", { as: "viewer" });
    expect(app.fakes.calls).toHaveLength(2);
    expect((await app.ask("GET", "/api/incidents?ids=x5", { as: "viewer" })).body["errors"]).toMatchObject([
      { path: "ids" },
    ]);
  });

  test("count in the dashboard with the agents'", async () => {
    const { body } = await app.ask("GET", "/api/dashboard", { as: "user" });
    expect(body).toMatchObject({ agents: { total: 3, online: 1, connecting: 1, offline: 1 }, incidents: 2 });
  });
});

describe("open registration tokens", () => {
  test("are listed without their text, and can be revoked", async () => {
    const { body } = await app.ask("GET", "/api/agents/tokens", { as: "viewer" });
    expect(body).toMatchObject({ total: 1, tokens: [{ id: 7, name: "web-2", createdBy: "ugo" }] });
    const revoked = await app.ask("DELETE", "/api/agents/tokens/7", { as: "user" });
    expect([revoked.status, revoked.body["message"]]).toEqual([200, "Token revoked"]);
    const message = "The registration token does not exist, has expired or was already used";
    for (const id of ["4", "x", "99999999999"]) {
      expect(await app.ask("DELETE", `/api/agents/tokens/${id}`, { as: "user" })).toMatchObject({
        status: 404,
        body: { message },
      });
    }
  });

  test.each<[string, "DELETE" | "PUT", object | undefined]>([
    ["deleted", "DELETE", undefined],
    ["disabled", "PUT", { username: "ugo", status: "disabled" }],
  ])("end with a user who is %s", async (_what, method, body) => {
    app.fakes.calls.length = 0;
    await app.ask(method, "/api/users/2", { as: "admin", ...(body === undefined ? {} : { body }) });
    expect(app.fakes.calls).toContainEqual(expect.objectContaining({ method: "revokeTokensOf" }));
  });
});
