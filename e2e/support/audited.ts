import type { Api } from "@sonde/testing/api";
import { addApp, startEnrolment, totpCode } from "./factors.ts";
import { createVictim, rotation } from "./victims.ts";

/** A request that changes something, with the ids of its path, its body and its sender. */
export type ChangeRequest = { id?: number | string | string[]; body?: unknown; token?: string | null };

export type Ground = {
  api: Api;
  as(token?: string): Api;
  targetUrl: string;
  login(): Promise<string>;
  /** Returns an open incident, always the same, and the token of its message's acknowledge link. */
  openIncident(): Promise<{ id: string; linkToken: string }>;
};

/** Part of every secret in these requests. */
export const canary = "canary-3f7b";
const password = `${canary} correct horse`;
const channel = (url: string) => ({
  type: "webhook",
  config: { url, secret: canary, headers: [{ name: "X-Token", value: canary }] },
});
const header = (value: string) => ({ headers: [{ name: "Authorization", value }] });
const provider = { name: "Company", issuer: "https://id.example.com", clientId: "sonde", clientSecret: canary };
const template = { kind: "down", subject: "{{name}}", content: "{{error}}" };
const policy = (name: string, channel: number | string) => ({
  name,
  steps: [{ after: 5, notify: [`channel:${channel}`] }],
});
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Audited routes with functions that prepare a request, in calling order. */
export function changesOf({ api, as, targetUrl, login, openIncident }: Ground) {
  let names = 0;
  const name = () => `thing ${(names += 1)}`;
  const victim = (path: string) => createVictim(api, path, { name: name(), password, targetUrl });
  const of = (path: string, body?: object) => async (): Promise<ChangeRequest> => ({ id: await victim(path), body });
  const monitor = (body?: object) => of("/api/monitors", body);
  const paused = async () => {
    const made = { name: name(), url: targetUrl, paused: true };
    return (await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", made)).monitor.id;
  };
  const overridden = (type: "monitor" | "agent") => async (): Promise<ChangeRequest> => {
    const id = await victim(`/api/${type}s`);
    await api.send("PUT", `/api/notifications/settings/${type}/${id}`, { cooldownMinutes: 7 });
    return { id };
  };
  const subscriber = async (): Promise<ChangeRequest> => {
    const config = { host: "localhost", port: 1, security: "none", from: "s@example.com", to: "o@example.com" };
    const { channel: mail } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", {
      name: name(),
      type: "smtp",
      config: { ...config, username: "sonde", password: canary },
    });
    await api.send("PUT", "/api/status/config", { subscriptions: { enabled: true, channelId: mail.id } });
    await api.send("POST", "/api/status/subscribers", { email: `${canary}@example.com` });
    const { subscribers } = await api.get<{ subscribers: { id: number }[] }>("/api/status/subscribers");
    return { id: subscribers[0]!.id };
  };
  const person = async () => {
    const credentials = { username: name(), password };
    const { user } = await api.send<{ user: { id: number } }>("POST", "/api/users", credentials);
    const logIn = () =>
      as().send<{ token: string; factor: { ticket: string } }>("POST", "/api/auth/login", credentials);
    const { token } = await logIn();
    return { id: user.id, token, own: as(token), logIn };
  };
  const invite = async () => {
    const made = await api.send<{ invite: { id: number }; url: string }>("POST", "/api/users/invites", {});
    return { id: made.invite.id, token: new URL(made.url).hash.slice(1) };
  };
  const changes: Record<string, () => Promise<ChangeRequest> | ChangeRequest> = {
    "POST /api/auth/login": () => ({ body: { username: "ada", password: "correct horse battery" }, token: null }),
    "POST /api/auth/logout": async () => ({ token: await login() }),
    "DELETE /api/auth/sessions/:id": async () => {
      await login();
      const { sessions } = await api.get<{ sessions: { id: number; isCurrent: boolean }[] }>("/api/auth/sessions");
      return { id: sessions.find(({ isCurrent }) => !isCurrent)!.id };
    },
    "POST /api/auth/factor": async () => {
      const { own, logIn } = await person();
      const { secret } = await addApp(own);
      const { ticket } = (await logIn()).factor;
      return { body: { ticket, code: totpCode(secret, 1) }, token: null };
    },
    "POST /api/me/factors": async () => {
      const { own, token } = await person();
      const { ticket, totp } = await startEnrolment(own);
      return { body: { type: "totp", ticket, code: totpCode(totp.secret) }, token };
    },
    "DELETE /api/me/factors/:id": async () => {
      const { own, token } = await person();
      return { id: (await addApp(own)).id, token };
    },
    "POST /api/me/sessions/end": async () => ({ token: (await person()).token }),
    "DELETE /api/users/:id/factors": async () => {
      const { own, id } = await person();
      await addApp(own);
      return { id };
    },
    "POST /api/users/invites": () => ({ body: { role: "viewer" } }),
    "DELETE /api/users/invites/:id": async () => ({ id: (await invite()).id }),
    "POST /api/auth/invites/accept": async () => ({
      body: { token: (await invite()).token, username: name(), password },
      token: null,
    }),
    "POST /api/users": () => ({ body: { username: "ben", password } }),
    "PUT /api/users/:id": of("/api/users", { username: "carl" }),
    "POST /api/users/:id/change-password": of("/api/users", { newPassword: `${password} 2` }),
    "DELETE /api/users/:id": of("/api/users"),
    "POST /api/keys": () => ({ body: { name: name(), scopes: ["read"] } }),
    "PUT /api/keys/:id": of("/api/keys", { name: "other", allowFrom: ["192.0.2.0/24"] }),
    "POST /api/keys/:id/rotate": of("/api/keys", { overlapMinutes: 0 }),
    "DELETE /api/keys/:id": of("/api/keys"),
    "POST /api/service-accounts": () => ({ body: { name: "robot", role: "viewer" } }),
    "DELETE /api/service-accounts/:id": of("/api/service-accounts"),
    "POST /api/sign-in/providers": () => ({ body: { slug: "main", ...provider } }),
    "PUT /api/sign-in/providers/:slug": of("/api/sign-in/providers", { ...provider, clientSecret: `${canary} 2` }),
    "POST /api/sign-in/providers/:slug/test": of("/api/sign-in/providers"),
    "DELETE /api/sign-in/providers/:slug": of("/api/sign-in/providers"),
    "POST /api/monitors": () => ({ body: { name: name(), url: targetUrl, ...header(canary) } }),
    "PUT /api/monitors/:id": monitor(header(`${canary} 2`)),
    "POST /api/monitors/:id/pause": monitor(),
    "POST /api/monitors/:id/resume": async () => ({ id: await paused() }),
    "POST /api/monitors/bulk": async () => ({ body: { ids: [await paused()], action: "resume" } }),
    "DELETE /api/monitors/:id": monitor(),
    "POST /api/monitors/:id/ping-url": of("/api/monitors/:id/ping-url"),
    "PUT /api/ping-key": () => ({ body: { creates: true } }),
    "PUT /api/monitors/confirm": () => ({ body: { confirm: { locations: ["default"] } } }),
    "POST /api/locations": () => ({ body: { name: "eu1" } }),
    "POST /api/locations/:name/token": () => ({ id: "eu1" }),
    "DELETE /api/locations/:name/tokens": () => ({ id: "eu1" }),
    "POST /api/agents/tokens": () => ({ body: { name: "rack 1" } }),
    "DELETE /api/agents/tokens/:id": of("/api/agents/tokens/"),
    "PUT /api/agents/:id": of("/api/agents", { name: "web-1" }),
    "DELETE /api/agents/:id": of("/api/agents"),
    "POST /api/incidents/:id/acknowledge": async () => ({ id: (await openIncident()).id, body: { note: "on it" } }),
    "POST /api/incidents/bulk": async () => ({ body: { ids: [(await openIncident()).id], action: "unacknowledge" } }),
    "POST /api/incidents/acknowledge-link": async () => ({
      body: { token: (await openIncident()).linkToken },
      token: null,
    }),
    // Before other changes are undone: an incident allows three undos to a link.
    "POST /api/incidents/acknowledge-link/snooze": async () => ({
      body: { token: (await openIncident()).linkToken },
      token: null,
    }),
    "POST /api/incidents/acknowledge-link/undo": async () => ({
      body: { token: (await openIncident()).linkToken, action: "snooze" },
      token: null,
    }),
    "DELETE /api/incidents/:id/acknowledge": async () => ({ id: (await openIncident()).id }),
    "POST /api/incidents/:id/snooze": async () => ({ id: (await openIncident()).id, body: { minutes: 5 } }),
    "DELETE /api/incidents/:id/snooze": async () => ({ id: (await openIncident()).id }),
    "POST /api/incidents/:id/escalate": async () => {
      const { id } = await openIncident();
      const policyId = await victim("/api/on-call/policies");
      const { globalMonitor } = await api.get<{ globalMonitor: object }>("/api/notifications/settings");
      await api.send("PUT", "/api/notifications/settings/global-monitor", { ...globalMonitor, policyId });
      return { id, body: { note: "Nobody answers" } };
    },
    "POST /api/notifications/channels": () => ({ body: { name: name(), ...channel(targetUrl) } }),
    "PUT /api/notifications/channels/:id": of("/api/notifications/channels", { config: { secret: canary } }),
    "POST /api/notifications/channels/:id/test": of("/api/notifications/channels"),
    "DELETE /api/notifications/channels/:id": of("/api/notifications/channels"),
    "PUT /api/notifications/settings/global-monitor": () => ({ body: { cooldownMinutes: 7 } }),
    "PUT /api/notifications/settings/global-agent": () => ({ body: { cooldownMinutes: 7 } }),
    "PUT /api/notifications/settings/monitor/:targetId": monitor({ cooldownMinutes: 7 }),
    "DELETE /api/notifications/settings/monitor/:targetId": overridden("monitor"),
    "PUT /api/notifications/settings/agent/:targetId": of("/api/agents", { cooldownMinutes: 7 }),
    "DELETE /api/notifications/settings/agent/:targetId": overridden("agent"),
    "POST /api/on-call/drills": async () => ({
      body: { target: `channel:${await victim("/api/notifications/channels")}` },
    }),
    "POST /api/on-call/drills/:id/acknowledge": of("/api/on-call/drills"),
    "DELETE /api/on-call/drills/:id": of("/api/on-call/drills"),
    "POST /api/changes": () => ({ body: { title: name() } }),
    "POST /api/slos": () => ({ body: { name: name(), tag: "shop", objective: 99.9, window: "month" } }),
    "PUT /api/slos/:id": of("/api/slos", { objective: 99 }),
    "DELETE /api/slos/:id": of("/api/slos"),
    "POST /api/reports": () => ({ body: { name: name(), tag: "nothing", every: "month" } }),
    "PUT /api/reports/:id": of("/api/reports", { every: "year" }),
    "DELETE /api/reports/:id": of("/api/reports"),
    "POST /api/reports/:id/send": of("/api/reports"),
    "POST /api/on-call/policies": async () => ({ body: policy(name(), await victim("/api/notifications/channels")) }),
    "PUT /api/on-call/policies/:id": of("/api/on-call/policies", { repeat: 3 }),
    "DELETE /api/on-call/policies/:id": of("/api/on-call/policies"),
    "POST /api/notifications/templates": () => ({ body: { name: name(), ...template } }),
    "PUT /api/notifications/templates/:id": of("/api/notifications/templates", { subject: "!" }),
    "DELETE /api/notifications/templates/:id": of("/api/notifications/templates"),
    "POST /api/on-call/schedules": () => ({ body: { name: name(), ...rotation } }),
    "PUT /api/on-call/schedules/:id": of("/api/on-call/schedules", { timeZone: "Europe/Berlin" }),
    "POST /api/on-call/schedules/:id/overrides": of("/api/on-call/schedules", {
      userId: 1,
      start: hoursFromNow(1),
      end: hoursFromNow(2),
    }),
    "DELETE /api/on-call/schedules/:id/overrides/:overrideId": async () => {
      const path = `/api/on-call/schedules/${await victim("/api/on-call/schedules")}`;
      const body = { userId: 1, start: hoursFromNow(1), end: hoursFromNow(2) };
      const { override } = await api.send<{ override: { id: number } }>("POST", `${path}/overrides`, body);
      return { id: [path.split("/").at(-1)!, String(override.id)] };
    },
    "POST /api/on-call/schedules/:id/feed": of("/api/on-call/schedules"),
    "DELETE /api/on-call/schedules/:id": of("/api/on-call/schedules"),
    "POST /api/pages": () => ({
      body: { slug: "walked", title: name(), access: { mode: "password", password } },
    }),
    "PUT /api/pages/:slug": of("/api/pages", { access: { mode: "password", password: `${password} 3` } }),
    "POST /api/pages/:slug/links": of("/api/pages", { name: "auditor" }),
    "DELETE /api/pages/:slug/links/:id": async () => {
      const slug = String(await victim("/api/pages"));
      const made = await api.send<{ link: { id: number } }>("POST", `/api/pages/${slug}/links`, { name: "auditor" });
      return { id: [slug, String(made.link.id)] };
    },
    "DELETE /api/pages/:slug": of("/api/pages"),
    "PUT /api/status/config": () => ({ body: { title: "Ours" } }),
    "DELETE /api/status/subscribers/:id": subscriber,
    "POST /api/announcements": () => ({ body: { title: name(), impact: "minor", state: "resolved" } }),
    "PUT /api/announcements/:id": of("/api/announcements", { impact: "major" }),
    "POST /api/announcements/:id/updates": of("/api/announcements", { state: "resolved", text: "Over." }),
    "DELETE /api/announcements/:id": of("/api/announcements"),
    "POST /api/maintenance": async () => ({
      body: { name: name(), monitors: [await paused()], start: hoursFromNow(1), end: hoursFromNow(2) },
    }),
    "PUT /api/maintenance/:id": of("/api/maintenance", { name: "Upgrade" }),
    "POST /api/maintenance/:id/end": of("/api/maintenance"),
    "DELETE /api/maintenance/:id": of("/api/maintenance"),
    "POST /api/silences": async () => ({ body: { target: { type: "monitor", id: await paused() }, minutes: 5 } }),
    "PUT /api/silences/:id": of("/api/silences", { minutes: 10 }),
    "DELETE /api/silences/:id": of("/api/silences"),
    "GET /api/export": () => ({}),
    "GET /api/audit/export": () => ({}),
    "POST /api/apply": () => ({
      body: { source: "walked", config: { monitors: { walked: { url: targetUrl, ...header(canary) } } } },
    }),
    "DELETE /api/sources/:name/objects/:kind/:key": async () => {
      const source = String(await victim("/api/sources"));
      return { id: [source, "monitor", source] };
    },
    "DELETE /api/sources/:name": of("/api/sources"),
    "POST /api/on-call/import": () => ({
      body: {
        source: "opsgenie",
        data: {
          data: [
            {
              name: name(),
              rotations: [
                {
                  type: "weekly",
                  startDate: "2026-01-05T08:00:00Z",
                  participants: [{ type: "user", username: "ada" }],
                },
              ],
            },
          ],
        },
      },
    }),
    "POST /api/import": async () => {
      const { monitors, ...rest } = await api.get<{ monitors: object[] }>("/api/export");
      const document = { ...rest, monitors: [{ ...monitors[0], name: name(), headers: [] }] };
      return { body: { source: "sonde", export: document } };
    },
  };
  return changes;
}

/** Unaudited routes, with the reason. */
export const unaudited: Record<string, string> = {
  "POST /api/inbound/:token": "alerts become incidents; they change no settings",
  "POST /api/inbound/:token/v2/enqueue": "alerts become incidents; they change no settings",
  "POST /api/calls/:reference/:step": "e2e/voice.e2e.ts tests the entry of its acknowledgement",
  "DELETE /api/locations/:name/runners/:id": "needs a runner: e2e/locations.e2e.ts tests the entry",
  "POST /api/auth/invites/check": "changes nothing",
  "POST /api/auth/passkey": "starts a login, whose completion is audited",
  "POST /api/auth/oidc/exchange":
    "needs a provider: services/auth/src/oidc/sign-in.it.test.ts tests the entry of its login",
  "POST /api/auth/factor/enroll": "starts an enrolment, whose completion is audited",
  "POST /api/me/contacts/renew-device": "a browser's action: it replaces its own push subscription",
  "PUT /api/me/views": "changes only what its user sees",
  "PUT /api/me/contacts": "changes only how its user is notified",
  "POST /api/me/contacts/test": "its channel's test is audited",
  "POST /api/monitors/test": "changes nothing: it tests an unsaved monitor",
  "POST /api/monitors/:id/check": "changes no configuration: the check is in the history",
  "POST /api/agents/downloads": "builds archives that releases already contain",
  "POST /api/notifications/templates/preview": "changes nothing",
  "POST /api/on-call/schedules/preview": "changes nothing",
  "POST /api/notifications/rehearse": "changes nothing",
  "POST /api/status/config/preview": "changes nothing",
  "POST /api/status/images": "recorded with the page that uses it",
  "POST /api/pages/:slug/unlock": "a visitor's action",
  "POST /api/status/subscribers": "a visitor's action; their address is stored only as long as the subscription",
  "POST /api/status/subscribers/confirm": "a visitor's action",
  "POST /api/status/subscribers/unsubscribe": "a visitor's action",
  "POST /api/reports/recipients": "a recipient's action",
  "POST /mcp": "its tools call other routes",
};
