import { fromBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import { toAppError } from "@sonde/kit/errors";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { ExternalAlert } from "@sonde/proto/http/monitors/inbound";
import { type MonitorInputDraft, monitorInput } from "@sonde/proto/http/monitors/monitors";
import { buckets, inboundKey, streams } from "@sonde/proto/streams";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

async function make(fields: object = {}) {
  const draft = { type: "inbound", name: "Prometheus", format: "alertmanager", ...fields } as MonitorInputDraft;
  const monitor = await bed.monitors.createMonitor({ monitor: monitorInput.parse(draft) });
  if (monitor.type !== "inbound") throw new Error("the monitor is not inbound");
  const { id } = monitor;
  const incidents = async (open: boolean): Promise<Incident[]> => {
    const found = await bed.incidents.listIncidents({ filter: { targetId: id, open }, limit: 400 });
    return found.incidents.map(({ incident }) => incident);
  };
  return {
    id,
    monitor,
    send: (...alerts: ExternalAlert[]) => bed.monitors.receiveAlerts({ id, alerts }),
    status: async () => (await bed.monitors.getMonitor({ id })).status,
    open: () => incidents(true),
    closed: () => incidents(false),
  };
}

const alert = (key: string, fields: Partial<ExternalAlert> = {}): ExternalAlert => ({
  key,
  action: "firing",
  title: `Alert ${key}`,
  severity: "warning",
  labels: { instance: key },
  ...fields,
});
const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const targetOf = async (token: string) => {
  const entry = await (await bed.bus.kv(buckets.pings)).get(sha(inboundKey(token)));
  return entry === null || entry.operation !== "PUT" ? null : fromBinary(PingTargetSchema, entry.value);
};
const tokenOf = ({ inboundUrl }: { inboundUrl: string }) => inboundUrl.slice("/api/inbound/".length);

async function change(sql: string, values: (number | string)[]): Promise<void> {
  const db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations: {}, log: silentLog });
  await db.raw(sql, values);
  await db.destroy();
}

test("an inbound monitor is up at once, has an address with its format, and is not checked", async () => {
  const { id, monitor } = await make({ closeAfter: 30 });
  expect(monitor).toMatchObject({ status: "up", format: "alertmanager", closeAfter: 30, interval: 1, stale: false });
  expect(monitor).toMatchObject({ lastCheckedAt: null, nextCheckAt: null });
  for (const field of ["timeout", "retries", "locations", "pingUrl"]) expect(monitor).not.toHaveProperty(field);
  await vi.waitFor(
    async () => expect(await targetOf(tokenOf(monitor))).toMatchObject({ monitorId: id, format: "alertmanager" }),
    30_000,
  );
  await expect(bed.monitors.checkNow({ id })).rejects.toThrow("Inbound monitors cannot be checked manually");
});

test("each alert is one incident with title, severity, link and labels, and resolving closes it", async () => {
  const { send, open, closed, status } = await make();
  const link = "https://prometheus.example.com/graph";
  expect(await send(alert("a", { link }), alert("b", { severity: "critical" }))).toEqual({ stored: 2 });
  const incidents = await open();
  expect(incidents.toSorted((one, other) => one.metric!.localeCompare(other.metric!))).toMatchObject([
    { kind: "external", metric: "a", cause: "Alert a", severity: "warning", link, labels: { instance: "a" } },
    { kind: "external", metric: "b", cause: "Alert b", severity: "critical", labels: { instance: "b" } },
  ]);
  expect(await status()).toBe("down");
  await send(alert("b", { action: "resolved" }), alert("c", { action: "resolved" }));
  expect(await open()).toMatchObject([{ metric: "a" }]);
  expect(await closed()).toMatchObject([{ metric: "b", resolution: "recovered" }]);
  expect(await status()).toBe("up");
});

test("a repeated alert updates its incident, and its severity decides the status", async () => {
  const { id, send, open, status } = await make();
  await send(alert("a"));
  const [first] = await open();
  await send(alert("a", { title: "It got worse", severity: "critical", labels: { instance: "x" } }));
  expect(await open()).toMatchObject([{ id: first!.id, cause: "It got worse", labels: { instance: "x" } }]);
  expect(await status()).toBe("down");
  await send(alert("a", { severity: "critical" }), alert("a", { severity: "info" }));
  expect(await status()).toBe("up");
  expect((await bed.monitors.getMonitor({ id })).lastCheckedAt).not.toBeNull();
});

test("events carry what the source says, once per change", async () => {
  const { send } = await make({ tags: ["shop"] });
  const seen: { change: string; severity?: string; link?: string; labels?: object; tags?: string[] }[] = [];
  const key = `event-${Date.now()}`;
  const following = followStream(bed.bus, {
    stream: streams.events.name,
    subjects: ["events.incident.*"],
    from: null,
    onMessage: async ({ data }: { data: Uint8Array }) => {
      const { fact } = fromBinary(EventSchema, data);
      if (fact.case !== "incident" || fact.value.incident?.metric !== key) return;
      const { change, facts: { severity, link, labels, tags } = {} } = fact.value;
      seen.push({ change, severity, link, labels, tags });
    },
  } as never);
  const sent = alert(key, { severity: "critical", link: "https://example.com/" });
  for (let times = 0; times < 3; times += 1) await send(sent);
  await send({ ...sent, action: "resolved" });
  const facts = { severity: "critical", link: "https://example.com/", labels: { instance: key }, tags: ["shop"] };
  await vi.waitFor(
    () =>
      expect(seen).toEqual([
        { change: "opened", ...facts },
        { change: "closed", ...facts },
      ]),
    30_000,
  );
  await following.stop();
});

test("acknowledging acknowledges the incident in the name of the monitor, and unknown keys change nothing", async () => {
  const { send, open } = await make({ format: "events-v2" });
  await send(alert("a"));
  await send(alert("a", { action: "acknowledged" }), alert("b", { action: "acknowledged" }));
  expect(await open()).toMatchObject([{ metric: "a", acknowledgedBy: "Prometheus" }]);
});

test("at most 500 alerts are open; one more incident says so, and closes when many have ended", async () => {
  const { send, open, status } = await make();
  const all = Array.from({ length: 520 }, (_, at) => alert(`k${at}`, { severity: "info" }));
  await send(...all.slice(0, 500));
  await send(...all.slice(500, 510), alert("worst", { severity: "critical" }));
  const excess = async () => {
    const db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations: {}, log: silentLog });
    const { rows } = await db.raw<{ rows: { cause: string }[] }>(
      "select cause from incidents where metric = '' and kind = 'external' and closed_at_ms is null",
    );
    await db.destroy();
    return rows;
  };
  expect(await excess()).toEqual([{ cause: "500 alerts are open; further ones have no incident of their own" }]);
  expect(await status()).toBe("down");
  await send(...all.slice(0, 40).map((one) => ({ ...one, action: "resolved" as const })));
  expect(await excess()).toHaveLength(1);
  await send(...all.slice(40, 60).map((one) => ({ ...one, action: "resolved" as const })));
  expect(await excess()).toEqual([]);
  expect(await status()).toBe("up");
  expect((await open()).length).toBeGreaterThanOrEqual(400);
});

test("pausing closes all incidents, and alerts for a paused monitor are ignored", async () => {
  const { id, send, open, closed, status } = await make();
  await send(alert("a", { severity: "critical" }));
  await bed.monitors.pauseMonitor({ id });
  expect(await closed()).toMatchObject([{ resolution: "paused" }]);
  expect(await send(alert("b"))).toEqual({ stored: 0 });
  await bed.monitors.resumeMonitor({ id });
  expect([await status(), await open()]).toEqual(["up", []]);
});

test("a new name or close time keeps the incidents; another format closes them", async () => {
  const { id, monitor, send, open } = await make();
  await send(alert("a"));
  await bed.monitors.updateMonitor({ id, patch: { name: "Grafana", closeAfter: 60 } });
  expect(await open()).toHaveLength(1);
  await bed.monitors.updateMonitor({ id, patch: { format: "grafana" } });
  expect(await open()).toEqual([]);
  await vi.waitFor(async () => expect(await targetOf(tokenOf(monitor))).toMatchObject({ format: "grafana" }), 30_000);
});

test("a new address works at once, and the old one for another day", async () => {
  const { id, monitor } = await make();
  const renewed = await bed.monitors.renewPingUrl({ id });
  if (renewed.type !== "inbound") throw new Error("the monitor is not inbound");
  expect(renewed.inboundUrl).not.toBe(monitor.inboundUrl);
  expect(renewed.previousUrlUntil).toBeDefined();
  await vi.waitFor(async () => {
    expect(await targetOf(tokenOf(renewed))).toMatchObject({ monitorId: id, format: "alertmanager" });
    expect(await targetOf(tokenOf(monitor))).toMatchObject({ monitorId: id, untilMs: expect.any(Number) as number });
  }, 30_000);
});

test("silence closes an incident only with closeAfter", async () => {
  const [patient, closing] = [await make(), await make({ closeAfter: 10 })];
  for (const { id, send } of [patient, closing]) {
    await send(alert("a", { severity: "critical" }));
    await change("update incidents set seen_at_ms = seen_at_ms - 600000 where target_id = ?", [id]);
  }
  await vi.waitFor(async () => expect(await closing.status()).toBe("up"), { timeout: 30_000, interval: 200 });
  expect(await closing.closed()).toMatchObject([{ resolution: "recovered" }]);
  expect(await patient.status()).toBe("down");
});

test("alerts for other kinds and unknown monitors are rejected", async () => {
  const http = { name: "shop", url: "https://example.com" } as MonitorInputDraft;
  const { id } = await bed.monitors.createMonitor({ monitor: monitorInput.parse(http) });
  const codeOf = (run: Promise<unknown>) => run.catch((error: unknown) => toAppError(error).code);
  expect(await codeOf(bed.monitors.receiveAlerts({ id, alerts: [alert("a")] }))).toBe("not_found");
  expect(await codeOf(bed.monitors.receiveAlerts({ id: 999_999, alerts: [alert("a")] }))).toBe("not_found");
});

test("many requests at once store each alert once", async () => {
  const { send, open } = await make();
  await Promise.all(Array.from({ length: 12 }, (_, at) => send(alert("same"), alert(`own ${at}`))));
  expect(await open()).toHaveLength(13);
});
