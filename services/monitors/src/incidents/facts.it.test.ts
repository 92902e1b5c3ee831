import { type ProbedType, probedTypes } from "@sonde/proto/http/monitors/kinds";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { collectEvents, slotsOf } from "../testing/facts.ts";
import { inputOf } from "../testing/fields.ts";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
let events: ReturnType<typeof collectEvents>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
  events = collectEvents(bed.bus);
});
afterAll(async () => {
  await events.stop();
  await bed.stop();
});

const host = "a.example";
const url = `https://${host}/`;
const login = { username: "sonde", password: "s3cret" };
const kinds: Record<ProbedType, { input: object; hosts: string[] }> = {
  http: { input: { url }, hosts: [host] },
  flow: {
    input: { steps: [{ url }, { url: "https://b.example/", headers: [{ name: "Authorization", value: "s3cret" }] }] },
    hosts: [host, "b.example"],
  },
  tcp: { input: { host, port: 80 }, hosts: [host] },
  dns: { input: { host, recordType: "A" }, hosts: [] },
  tls: { input: { host }, hosts: [host] },
  icmp: { input: { host }, hosts: [host] },
  domain: { input: { domain: host }, hosts: [] },
  ntp: { input: { host }, hosts: [host] },
  websocket: { input: { url: `wss://${host}/` }, hosts: [host] },
  grpc: { input: { host, port: 50_051 }, hosts: [host] },
  mail: { input: { protocol: "smtp", host, port: 25 }, hosts: [host] },
  postgres: { input: { host, ...login }, hosts: [host] },
  mysql: { input: { host, ...login }, hosts: [host] },
  redis: { input: { host }, hosts: [host] },
};

test.each(probedTypes)("the incident facts of a %s monitor contain its hosts", async (type) => {
  const { input, hosts } = kinds[type];
  const { id } = await bed.monitors.createMonitor({ monitor: inputOf({ name: "watched", type, ...input }) });
  await bed.publish(slotsOf({ id })("down"));
  await eventually(async () => expect((await bed.monitors.getMonitor({ id })).status).toBe("down"));
  const opened = () => events.of(id).find(({ fact }) => fact.case === "incident")?.fact.value;
  await eventually(() => expect(opened()).toMatchObject({ change: "opened", facts: { hosts } }));
  expect(JSON.stringify(opened(), (_key, value) => (typeof value === "bigint" ? String(value) : value))).not.toMatch(
    /s3cret|sealed|authorization/i,
  );
});
