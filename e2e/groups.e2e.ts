import { startStandIn, type StandIn } from "@sonde/notifier/testing/stand-ins";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { violationsOf } from "./support/quality.ts";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";

type Member = { id: number; status: string; inboundUrl: string };
type Group = { id: number; state: string; status: string; counts: object; uptime: { h24: number | null } };
type Incident = { id: string; kind: string; cause: string; closedAt?: string };

const patience = { timeout: 60_000 };
let sonde: Installation;
let api: Api;
let webhook: StandIn<"webhook">;
let channelId: number;
beforeAll(async () => {
  [sonde, webhook] = await Promise.all([useInstallation("default"), startStandIn("webhook")]);
  ({ api } = sonde);
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", {
    name: "Groups webhook",
    type: "webhook",
    config: webhook.config,
  });
  channelId = channel.id;
});
afterAll(() => webhook?.stop());

/** Members that are down exactly while they have an alert. */
async function makeMember(name: string): Promise<Member> {
  const fields = { type: "inbound", name, format: "generic" };
  return (await api.send<{ monitor: Member }>("POST", "/api/monitors", fields)).monitor;
}
async function report({ inboundUrl }: Member, isDown: boolean): Promise<void> {
  const body = JSON.stringify({
    title: "Node lost",
    key: "node",
    severity: "critical",
    ...(!isDown && { status: "resolved" }),
  });
  const headers = { "content-type": "application/json" };
  await expect
    .poll(async () => (await fetch(inboundUrl, { method: "POST", headers, body })).status, patience)
    .toBe(202);
}
const notify = (id: number) => api.send("PUT", `/api/notifications/settings/monitor/${id}`, { channels: [channelId] });
const groupOf = async (id: number) => (await api.get<{ monitor: Group }>(`/api/monitors/${id}`)).monitor;
async function becomes(id: number, state: string): Promise<void> {
  await expect.poll(async () => (await groupOf(id)).state, patience).toBe(state);
}
const incidentsOf = async (id: number) =>
  (await api.get<{ incidents: Incident[] }>(`/api/monitors/${id}/incidents`)).incidents;

test("a group of three that needs two is partial, then down with one alert, and recovers", async () => {
  const members = [await makeMember("Node A"), await makeMember("Node B"), await makeMember("Node C")] as const;
  const { monitor: group } = await api.send<{ monitor: Group }>("POST", "/api/monitors", {
    type: "group",
    name: "Cluster",
    members: members.map(({ id }) => id),
    need: 2,
    notifyMembers: false,
  });
  await Promise.all([group, ...members].map(({ id }) => notify(id)));
  await becomes(group.id, "up");
  await report(members[0], true);
  await becomes(group.id, "partial");
  expect(await groupOf(group.id)).toMatchObject({ status: "up", counts: { up: 2, down: 1, ignored: 0 } });
  expect(await incidentsOf(group.id)).toEqual([]);
  await report(members[1], true);
  await becomes(group.id, "down");
  await expect.poll(() => webhook.accepted.length, patience).toBe(1);
  const [incident] = await incidentsOf(group.id);
  expect(incident).toMatchObject({ kind: "down", cause: "1 of 3 members are up, 2 needed; down: Node A, Node B" });

  // The members' incidents say why they sent nothing.
  const [ofMember] = await incidentsOf(members[0].id);
  const why = await api.get<{ answers: { text: string }[] }>(`/api/incidents/${ofMember!.id}`);
  expect(JSON.stringify(why)).toContain("only the group alerts");

  const page = await openPage({}, sonde.session);
  await page.goto(`${sonde.url}/monitors?search=Cluster`);
  await page.getByRole("button", { name: "Members of Cluster" }).click();
  await page.getByRole("link", { name: "Node B" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Cluster" }).first().click();
  await page.getByRole("heading", { name: "Members" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await report(members[0], false);
  await becomes(group.id, "partial");
  await report(members[1], false);
  await becomes(group.id, "up");
  await expect.poll(() => webhook.accepted.length, patience).toBe(2);
  expect(await incidentsOf(group.id)).toMatchObject([{ closedAt: expect.any(String) as string }]);
  const { h24 } = (await groupOf(group.id)).uptime;
  expect(h24).toBeLessThan(100);
  expect(h24).toBeGreaterThan(0);
}, 240_000);

test("two groups cannot contain each other, and an applied group has its members by key", async () => {
  const member = await makeMember("Node D");
  const config = {
    monitors: {
      outer: { type: "group", name: "Applied outer", members: ["inner"] },
      inner: { type: "group", name: "Applied inner", members: ["leaf"], need: "any" },
      leaf: { type: "inbound", name: "Applied leaf", format: "generic" },
    },
  };
  await api.send("POST", "/api/apply", { source: "groups-test", config });
  const { monitors } = await api.get<{ monitors: (Group & { name: string; members?: number[] })[] }>(
    "/api/monitors?search=Applied&sort=name",
  );
  const [inner, leaf, outer] = monitors;
  expect([inner!.members, outer!.members]).toEqual([[leaf!.id], [inner!.id]]);
  const { monitor: group } = await api.send<{ monitor: Group }>("POST", "/api/monitors", {
    type: "group",
    name: "Free",
    members: [member.id],
  });
  const { monitor: other } = await api.send<{ monitor: Group }>("POST", "/api/monitors", {
    type: "group",
    name: "Other",
    members: [group.id],
  });
  const answer = await fetch(`${sonde.url}/api/monitors/${group.id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${sonde.session.token}`, "content-type": "application/json" },
    body: JSON.stringify({ members: [other.id] }),
  });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain("Free → Other → Free");
});
