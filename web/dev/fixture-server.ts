/**
 * A mock gateway to view the web app's screens. Sample data; changes are not stored. Serves the built app with the
 * gateway's Content-Security-Policy, so that violations are visible. `PORT=5190 node dev/fixture-server.ts`
 * `?fixture=empty|broken` in the URL of the first page selects the API's responses.
 */
import about from "../package.json" with { type: "json" };
import { createReadStream, existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgent, makeDownloads, makeMetrics, makeToken } from "./fixture-agents.ts";
import { makeDashboard, makeMany } from "./fixture-dashboard.ts";
import { channels, incidents, linkedIncident, makeStory, settings, silences } from "./fixture-incidents.ts";
import { at, makeCheck, makeHistory, makeLocations, makeMonitor, makeRecentChecks } from "./fixture-data.ts";

const port = Number(process.env["PORT"] ?? 5190);
const dist = process.env["DIST"] ?? join(import.meta.dirname, "..", "dist");
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const user = {
  id: 1,
  username: "admin",
  email: "admin@example.com",
  role: "admin",
  status: "active",
  createdAt: at(90 * 86_400_000),
};
const monitors = Array.from({ length: Number(process.env["MONITORS"] ?? 64) }, (_, index) => makeMonitor(index + 1));
let views: object[] = [{ name: "Production", query: "tag=production" }];
const agents = Array.from({ length: 22 }, (_, index) => makeAgent(index + 1));

/**
 * Selects the API's responses: `full` has everything, `calm` an all-green dashboard, `outage` one outage of many
 * monitors, `empty` a new installation, `broken` 503 everywhere. Set by POST /fixture/<name>.
 */
let fixture = process.env["FIXTURE"] ?? "full";

const ok = (body: object, message?: string) => ({
  status: 200,
  body: { success: true, ...(message === undefined ? {} : { message }), ...body },
});
const fail = (status: number, code: string, message: string, errors?: object[]) => ({
  status,
  body: { success: false, code, message, errors },
});

async function answer(method: string, url: URL, body: Record<string, unknown>) {
  const path = `${method} ${url.pathname.replace(/\/\d+/, "/:id")}`;
  const id = Number(/\/(\d+)/.exec(url.pathname)?.[1] ?? 0);
  const isEmpty = fixture === "empty";
  if (path === "GET /api/config") {
    return ok({
      registration: "open",
      setup: { firstAccount: isEmpty, codeRequired: isEmpty },
      signIn: { passwords: "on", providers: [] },
      publicUrl: null,
      footerLinks: {
        blog: "https://blog.example.com",
        video: "https://video.example.com",
        mail: "https://mail.example.com",
      },
      version: about.version,
      minIntervalMinutes: 1,
    });
  }
  if (path === "POST /api/auth/login") {
    return body["password"] === "wrong-password"
      ? fail(401, "unauthenticated", "Incorrect username or password")
      : ok({ token: "fixture", user });
  }
  if (path === "POST /api/auth/register") return fail(409, "conflict", "Username already exists");
  if (path === "GET /api/auth/me") return ok({ user });
  if (path === "GET /api/auth/sessions") return ok({ sessions: [] });
  if (path === "GET /api/keys") return ok({ keys: [] });
  if (path === "PUT /api/me/views") views = body["views"] as object[];
  if (path.endsWith("/api/me/views")) return ok({ views, shared: [{ ...views[0], name: "Everything", by: "grace" }] });
  if (path === "GET /api/service-accounts") return ok({ accounts: [] });
  if (fixture === "broken") return fail(503, "unavailable", "The monitors service is currently unavailable");
  const shown = isEmpty ? [] : monitors;
  const monitor = shown.find((each) => each.id === id);
  const [, incidentId] = /^\/api\/incidents\/([ma]\d+)/.exec(url.pathname) ?? [];
  if (incidentId !== undefined) {
    const incident = incidents.find((each) => each.id === incidentId);
    if (incident === undefined) return fail(404, "not_found", "Incident does not exist");
    return ok(method === "GET" ? makeStory(incident) : { incident });
  }
  switch (path) {
    case "GET /api/dashboard":
      return ok(makeDashboard(fixture));
    case "GET /api/incidents": {
      const [open, kind, wanted] = ["open", "kind", "target"].map((name) => url.searchParams.get(name));
      const wide = fixture === "outage" ? [...makeMany(), ...incidents] : incidents;
      const [acknowledged, text] = ["acknowledged", "search"].map((name) => url.searchParams.get(name));
      const listed = (isEmpty ? [] : wide).filter(
        ({ closedAt, kind: own, target, cause, acknowledgedAt }) =>
          (text == null || `${target.name} ${cause}`.toLowerCase().includes(text.toLowerCase())) &&
          (acknowledged == null || (acknowledgedAt !== undefined) === (acknowledged === "true")) &&
          (wanted == null || wanted === `${target.type}:${target.id}`) &&
          (open == null || (closedAt === undefined) === (open === "true")) &&
          (kind == null || own === kind),
      );
      const page = Number(url.searchParams.get("page") ?? 1);
      listed.sort((one, other) => Number(one.closedAt !== undefined) - Number(other.closedAt !== undefined));
      return ok({ incidents: listed.slice((page - 1) * 100, page * 100), total: listed.length });
    }
    case "POST /api/incidents/bulk":
      return ok({ incidents: (body["ids"] as string[]).map((each) => ({ ...incidents[0], id: each })), failed: [] });
    case "GET /api/incidents/acknowledge-link":
      if (url.searchParams.get("token") !== "good")
        return fail(404, "not_found", "This link is invalid or has expired");
      return ok(linkedIncident({}));
    case "POST /api/incidents/acknowledge-link":
      return ok(linkedIncident({ acknowledged: true, acknowledgedBy: "On-call" }));
    case "POST /api/incidents/acknowledge-link/snooze":
      return ok(linkedIncident({ snoozedUntil: at(-3_600_000) }));
    case "POST /api/incidents/acknowledge-link/undo":
      return ok(linkedIncident({}), "Undone");
    case "GET /api/silences":
      return ok(isEmpty ? { silences: [], total: 0 } : { silences, total: silences.length });
    case "POST /api/silences":
      return ok({ silence: silences[0] });
    case "DELETE /api/silences/:id":
      return ok({}, "Silence ended");
    case "GET /api/notifications/settings":
      return ok(settings);
    case "GET /api/notifications/audience":
      return ok({ audience: { nobody: url.searchParams.get("target") === "monitor:4" } });
    case "GET /api/notifications/reach":
      return ok({
        reach:
          isEmpty || fixture === "calm"
            ? { monitors: false, agents: false, channels: 0, tested: 0 }
            : { monitors: true, agents: true, channels: 3, tested: 2 },
      });
    case "GET /api/users":
      return ok({ users: [user], total: isEmpty ? 1 : 3 });
    case "GET /api/users/invites":
      return ok({ invites: [], total: 0 });
    case "GET /api/pages":
      return ok({ pages: [{ slug: "default", title: "Status", mode: "public", hosts: [], url: "/status" }] });
    case "GET /api/status/config":
      return ok({ config: { monitors: isEmpty ? [] : [1, 2], agents: [] } });
    case "GET /api/notifications/channels":
      return ok({ channels });
    case "GET /api/monitors/recent-checks": {
      const ids = (url.searchParams.get("ids") ?? "").split(",").map(Number);
      return ok({ recentChecks: Object.fromEntries(ids.map((each) => [each, makeRecentChecks(each)])) });
    }
    case "GET /api/monitors": {
      const search = (url.searchParams.get("search") ?? "").toLowerCase();
      const status = url.searchParams.get("status");
      const tag = url.searchParams.get("tag");
      const ids = url.searchParams.get("ids")?.split(",").map(Number);
      const found = shown.filter(
        (each) =>
          `${each.name} ${each.target}`.toLowerCase().includes(search) &&
          (status === null || stateOf(each) === status) &&
          (tag === null || each.tags.includes(tag)) &&
          (!url.searchParams.has("slower") || each.p95?.slower === true) &&
          (!url.searchParams.has("untagged") || each.tags.length === 0) &&
          (ids?.includes(each.id) ?? true),
      );
      if (url.searchParams.get("sort") === "status")
        found.sort((one, other) => urgency.indexOf(stateOf(one)) - urgency.indexOf(stateOf(other)));
      if (url.searchParams.get("sort") === "-p95Change")
        found.sort((one, other) => (other.p95?.change ?? 0) - (one.p95?.change ?? 0));
      const page = Number(url.searchParams.get("page") ?? 1);
      return ok({ monitors: found.slice((page - 1) * 50, page * 50), total: found.length });
    }
    case "GET /api/monitors/counts": {
      const counted = url.searchParams.has("untagged") ? shown.filter(({ tags }) => tags.length === 0) : shown;
      const of = (state: string) => counted.filter((each) => stateOf(each) === state).length;
      const counts = Object.fromEntries(urgency.map((state) => [state, of(state)]));
      return ok({ counts: { ...counts, total: counted.length, active: counted.length - of("paused") } });
    }
    case "GET /api/agents": {
      const search = (url.searchParams.get("search") ?? "").toLowerCase();
      const status = url.searchParams.get("status");
      const tag = url.searchParams.get("tag");
      const found = (isEmpty ? [] : agents).filter(
        (each) =>
          each.name.toLowerCase().includes(search) &&
          (status === null || each.status === status) &&
          (tag === null || each.tags.includes(tag)),
      );
      return ok({ agents: found, total: found.length });
    }
    case "GET /api/agents/tags": {
      const tags = ["eu", "production"].map((name) => ({
        name,
        agents: agents.filter((each) => each.tags.includes(name)).length,
      }));
      return ok({ tags: isEmpty ? [] : tags, more: false });
    }
    case "GET /api/agents/downloads":
    case "POST /api/agents/downloads":
      return ok(makeDownloads(!isEmpty));
    case "GET /api/agents/tokens": {
      const token = { createdBy: "ada", createdAt: "2026-01-31T10:00:00Z", expiresAt: "2099-01-01T00:00:00Z" };
      const tokens = [
        { id: 2, name: "web-9", ...token },
        { id: 1, agent: { id: 1, name: agents[0]?.name ?? "" }, ...token },
      ];
      return ok({ tokens: isEmpty ? [] : tokens, total: isEmpty ? 0 : tokens.length });
    }
    case "DELETE /api/agents/tokens/:id":
      return ok({}, "Token revoked");
    case "POST /api/agents/tokens":
      return ok(makeToken(`http://127.0.0.1:${port}`));
    case "GET /api/agents/:id/metrics":
      return ok(makeMetrics(url.searchParams.get("range") ?? "1h"));
    case "GET /api/agents/:id":
    case "PUT /api/agents/:id": {
      const agent = agents.find((each) => each.id === id);
      return agent === undefined ? fail(404, "not_found", `Agent with ID ${id} not found`) : ok({ agent });
    }
    case "DELETE /api/agents/:id":
      return ok({}, "Agent successfully deleted");
    case "POST /api/monitors":
      return fail(400, "invalid", "The request is not valid", [
        { path: "url", message: "This address cannot be monitored" },
      ]);
    case "GET /api/locations":
      return ok({
        locations: [
          { name: "default", runners: 1 },
          { name: "frankfurt", runners: 2 },
        ],
      });
    case "POST /api/monitors/test":
      return ok({ result: makeCheck(1, 1000) });
    case "POST /api/monitors/bulk":
      return ok({ done: body["ids"] ?? shown.map((each) => each.id), failed: [], openIncidents: 3 });
    case "GET /api/monitors/tags": {
      const search = (url.searchParams.get("search") ?? "").toLowerCase();
      const byTag = Map.groupBy(
        shown.flatMap((each) => each.tags.map((name) => ({ name, each }))),
        ({ name }) => name,
      );
      const tags = [...byTag].map(([name, all]) => ({
        name,
        monitors: all.length,
        down: all.filter(({ each }) => each.status === "down").length,
      }));
      return ok({ tags: tags.filter(({ name }) => name.includes(search)), more: false });
    }
  }
  if (monitor === undefined)
    return fail(404, "not_found", id > 0 ? "Monitor does not exist" : "Nothing exists at this address");
  switch (path) {
    case "GET /api/monitors/:id/history":
      return ok(makeHistory(id, url.searchParams));
    case "GET /api/monitors/:id/history/locations":
      return ok(makeLocations(id));
    case "GET /api/monitors/:id/checks":
      return ok({
        checks: Array.from({ length: 30 }, (_, index) => ({
          ...makeCheck(id, 18_000 + index * 60_000, index === 3),
          ...(id === 2 && index < 12 && index !== 3 ? { inMaintenance: true } : {}),
        })),
      });
    case "GET /api/monitors/:id/incidents":
      return ok({ incidents: incidents.filter(({ target }) => target.id === id), total: 1 });
    case "POST /api/monitors/:id/check":
      return ok({ result: makeCheck(id, 1000, true), monitor }, "Monitor check completed");
    case "DELETE /api/monitors/:id":
      return ok({}, "Monitor successfully deleted");
    default:
      return ok({ monitor });
  }
}

const urgency = ["down", "stale", "pending", "up", "paused"];
const stateOf = ({ status, stale }: (typeof monitors)[number]) => (stale && status !== "paused" ? "stale" : status);

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function sendFile(path: string, response: ServerResponse) {
  const wanted = join(dist, path);
  const file = path !== "/" && wanted.startsWith(dist) && existsSync(wanted) ? wanted : join(dist, "index.html");
  response.writeHead(200, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "content-security-policy": policy,
  });
  createReadStream(file).pipe(response);
}

createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}`));

async function serve(request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/fixture/")) {
    fixture = url.pathname.slice("/fixture/".length);
    return void response.end();
  }
  if (url.pathname === "/api/events") {
    if (fixture === "broken") return void response.writeHead(503).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    return void response.write(": open\n\n");
  }
  if (!url.pathname.startsWith("/api/")) return sendFile(url.pathname, response);
  // Simulated latency, which shows layout shifts when responses arrive.
  await sleep(Number(process.env["LATENCY_MS"] ?? 0));
  const { status, body } = await answer(request.method ?? "GET", url, await readBody(request));
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
