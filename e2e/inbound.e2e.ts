import { secretMask } from "@sonde/proto/http/secrets";
import { beforeAll, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { addAccount, type Installation, useInstallation } from "./support/shared.ts";

type Inbound = { id: number; status: string; inboundUrl: string };
type Incident = {
  id: string;
  kind: string;
  cause: string;
  severity: string;
  acknowledgedBy?: string;
  closedAt?: string;
};

let sonde: Installation;
let api: Api;
beforeAll(async () => {
  sonde = await useInstallation("default");
  ({ api } = sonde);
});

const make = async (fields: object): Promise<Inbound> =>
  (await api.send<{ monitor: Inbound }>("POST", "/api/monitors", { type: "inbound", ...fields })).monitor;
const statusOf = async ({ id }: Inbound) => (await api.get<{ monitor: Inbound }>(`/api/monitors/${id}`)).monitor.status;
const incidentsOf = async ({ id }: Inbound) =>
  (await api.get<{ incidents: Incident[] }>(`/api/monitors/${id}/incidents`)).incidents;
const post = (url: string, body: unknown) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("a script opens and ends an incident, and the status is there with the response", async () => {
  const scripts = await make({ name: "inbound scripts", format: "generic" });
  expect(scripts).toMatchObject({ status: "up" });
  expect(scripts.inboundUrl).toMatch(new RegExp(`^${sonde.url}/api/inbound/[\\da-f-]{36}$`));
  const alert = { title: "Backup failed", key: "backup", severity: "page", link: "https://ci.example.com/" };
  await expect.poll(async () => (await post(scripts.inboundUrl, alert)).status, { timeout: 20_000 }).toBe(202);
  expect(await statusOf(scripts)).toBe("down");
  const [incident] = await incidentsOf(scripts);
  expect(incident).toMatchObject({ kind: "external", cause: "Backup failed", severity: "critical" });
  const { timeline } = await api.get<{ timeline: { type: string }[] }>(`/api/incidents/${incident!.id}`);
  expect(timeline.map(({ type }) => type)).toContain("opened");
  await post(scripts.inboundUrl, { title: "Backup failed", key: "backup", status: "resolved" });
  expect(await statusOf(scripts)).toBe("up");
  expect(await incidentsOf(scripts)).toMatchObject([{ closedAt: expect.any(String) as string }]);
});

test("a PagerDuty client opens, acknowledges and ends an incident", async () => {
  const events = await make({ name: "inbound events", format: "events-v2" });
  const url = `${events.inboundUrl}/v2/enqueue`;
  const payload = { summary: "Disk full", source: "db-1", severity: "critical" };
  const trigger = { routing_key: "any", event_action: "trigger", payload };
  await expect.poll(async () => (await post(url, { ...trigger, dedup_key: "disk" })).status).toBe(202);
  await post(url, { event_action: "acknowledge", dedup_key: "disk" });
  expect(await incidentsOf(events)).toMatchObject([{ acknowledgedBy: "inbound events" }]);
  const answer = await post(url, { event_action: "resolve", dedup_key: "disk" });
  expect(await answer.json()).toMatchObject({ status: "success", dedup_key: "disk" });
  expect(await statusOf(events)).toBe("up");
});

test("uptime counts the minutes with a critical alert", async () => {
  const counted = await make({ name: "inbound counted", format: "generic" });
  const alert = { title: "Slow", severity: "critical" };
  await expect.poll(async () => (await post(counted.inboundUrl, alert)).status).toBe(202);
  await expect
    .poll(
      async () => {
        const { monitor } = await api.get<{ monitor: { uptime: { h24: number | null } } }>(
          `/api/monitors/${counted.id}`,
        );
        return monitor.uptime.h24;
      },
      { timeout: 180_000, interval: 2_000 },
    )
    .toBe(0);
}, 200_000);

test("viewers see no address, and unknown addresses are 404", async () => {
  const seen = await make({ name: "inbound seen", format: "grafana" });
  const { api: viewer } = await addAccount(sonde, "inbound-vera", "viewer");
  const { monitor } = await viewer.get<{ monitor: Inbound }>(`/api/monitors/${seen.id}`);
  expect(monitor.inboundUrl).toBe(secretMask);
  expect((await post(`${sonde.url}/api/inbound/00000000-0000-4000-8000-000000000000`, {})).status).toBe(404);
});

test("an applied document has the monitor, and the export contains its settings without the address", async () => {
  const config = {
    monitors: { prometheus: { type: "inbound", name: "inbound applied", format: "alertmanager", closeAfter: 600 } },
  };
  await api.send("POST", "/api/apply", { source: "inbound-test", config });
  const exported = await (
    await fetch(`${sonde.url}/api/export`, { headers: { authorization: `Bearer ${sonde.session.token}` } })
  ).text();
  expect(exported).toContain("inbound applied");
  expect(exported).toContain("closeAfter");
  expect(exported).not.toContain("/api/inbound/");
});
