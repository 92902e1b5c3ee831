import { secretMask } from "@sonde/proto/http/secrets";
import { importInput } from "@sonde/proto/http/import";
import { describe, expect, test } from "vitest";
import { readExport } from "./sonde.ts";
import { emptyInstallation } from "./testing/known.ts";
import { toDocument } from "./translate.ts";

test("options that need their masked secret are omitted, others stay, and all secrets are reported", () => {
  const monitor = {
    id: 7,
    name: "Shop",
    type: "http",
    url: "https://shop.example/",
    headers: [
      { name: "authorization", value: secretMask },
      { name: "accept", value: "*/*" },
    ],
    proxy: { url: "http://proxy.example:3128", username: "sonde", password: secretMask },
    oauth: { tokenUrl: "https://a.example/", clientId: "a", clientSecret: secretMask, authentication: "basic" },
  };
  const input = importInput.parse({
    source: "sonde",
    export: { version: 1, monitors: [monitor], channels: [], settings: {} },
  });
  if (input.source !== "sonde") throw new Error("another source");
  const [read] = readExport(input.export).monitors;
  expect(read?.input).toEqual({
    name: "Shop",
    type: "http",
    url: "https://shop.example/",
    headers: [{ name: "accept", value: "*/*" }],
    proxy: { url: "http://proxy.example:3128", username: "sonde" },
    paused: true,
  });
  expect(read?.notes).toEqual([
    {
      text: "Paused: enter the value of {headers} again",
      params: { headers: "authorization, proxy.password, oauth.clientSecret" },
    },
  ]);
});

test("steps of a flow lose only their masked headers", () => {
  const headers = [
    { name: "authorization", value: secretMask },
    { name: "accept", value: "*/*" },
  ];
  const monitor = { id: 7, name: "Shop", type: "flow", steps: [{ url: "https://shop.example/", headers }] };
  const input = importInput.parse({
    source: "sonde",
    export: { version: 1, monitors: [monitor], channels: [], settings: {} },
  });
  if (input.source !== "sonde") throw new Error("another source");
  const [read] = readExport(input.export).monitors;
  expect(read?.input["steps"]).toEqual([{ url: "https://shop.example/", headers: headers.slice(1) }]);
  expect(read?.notes[0]?.params).toEqual({ headers: "authorization" });
});

describe("on call", () => {
  const layer = { every: { n: 1, unit: "week" }, handoff: { weekday: 1, time: "09:00" }, from: "2026-05-04" };
  const ntfy = { id: 2, name: "Ops", type: "ntfy", enabled: true, config: { topic: "ops" } };
  const slack = { id: 3, name: "Chat", type: "slack", enabled: true, config: { webhookUrl: secretMask } };
  const primary = { id: 1, name: "Primary", timeZone: "UTC", layers: [{ ...layer, members: ["ada"] }] };
  const night = {
    id: 7,
    name: "Night",
    repeat: 1,
    lowUrgency: { monitors: [4], tags: ["batch"] },
    steps: [
      { after: 5, notify: ["channel:3"], needs: 1 },
      { after: 10, notify: ["channel:2", "channel:3", "everyone:1", "user:ada"], needs: 2 },
    ],
  };
  const read = (exported: object) => {
    const input = importInput.parse({ source: "sonde", export: { version: 1, monitors: [], ...exported } });
    if (input.source !== "sonde") throw new Error("another source");
    return toDocument(readExport(input.export), emptyInstallation);
  };

  test("recipients become keys, and those that are not imported are left out with a note", () => {
    const { config, objects, refused } = read({
      channels: [ntfy, slack],
      schedules: [primary],
      policies: [night],
      drills: [{ target: "policy:7", schedule: "weekly" }],
      settings: {
        globalMonitor: {
          ...emptyInstallation.globalMonitor,
          policyId: 7,
          rules: [{ tags: ["a"], channels: [2], policyId: 7 }],
        },
      },
    });
    expect(config).toMatchObject({
      schedules: { "schedule-1": { name: "Primary", layers: [{ members: ["ada"] }] } },
      policies: {
        "policy-1": {
          steps: [{ after: 10, notify: ["channel:c1", "everyone:schedule-1", "user:ada"], needs: 2 }],
          lowUrgency: { tags: ["batch"] },
        },
      },
      drills: { "drill-1": { target: "policy:policy-1", schedule: "weekly" } },
      settings: { monitors: { policy: "policy-1", rules: [{ channels: ["c1"], policy: "policy-1" }] } },
    });
    expect(config.policies?.["policy-1"]?.steps).toHaveLength(1);
    expect(objects["policy policy-1"]?.notes).toEqual([
      { text: "No longer notifies {channels}", params: { channels: "Chat" } },
    ]);
    expect(objects["drill drill-1"]).toMatchObject({ name: "Night" });
    expect(refused.map(({ type, name }) => [type, name])).toEqual([["channel", "Chat"]]);
  });

  test("a policy that would reach nobody is refused, and its drill with it", () => {
    const { config, refused } = read({
      channels: [{ ...ntfy, enabled: false }],
      policies: [{ ...night, steps: [{ after: 5, notify: ["channel:2"], needs: 1 }] }],
      drills: [{ target: "policy:7", schedule: "weekly" }],
    });
    expect(config).toMatchObject({ policies: {}, drills: {} });
    expect(refused.map(({ type, name }) => [type, name])).toEqual([
      ["policy", "Night"],
      ["drill", "policy:7"],
    ]);
  });
});

describe("service levels", () => {
  const site = (id: number, more: object = {}) => ({ id, name: `Site ${id}`, url: `https://${id}.example/`, ...more });
  const slo = {
    id: 3,
    name: "Checkout",
    combine: "mean",
    objective: 99.9,
    window: "month",
    timeZone: "Europe/Berlin",
    burnAlerts: false,
    latency: { ms: 300, percent: 95 },
  };
  const counting = (...ids: number[]) => ids.map((id) => ({ type: "monitor", id }));
  const policy = { id: 7, name: "Night", repeat: 0, steps: [{ after: 5, notify: ["user:ada"], needs: 1 }] };
  const read = (...slos: object[]) => {
    const group = { id: 14, name: "Sites", type: "group", members: [11] };
    const monitors = [site(11), site(12), site(13, { url: "no address" }), group];
    const input = importInput.parse({ source: "sonde", export: { version: 1, monitors, policies: [policy], slos } });
    if (input.source !== "sonde") throw new Error("another source");
    return toDocument(readExport(input.export), emptyInstallation);
  };

  test("count the imported monitors and keep their policy", () => {
    const { id: _id, ...fields } = slo;
    const { config, objects, refused } = read({ ...slo, targets: counting(12, 11), policyId: 7 });
    const targets = ["monitor:m2", "monitor:m1"];
    expect(config.slos).toEqual({ "slo-1": { ...fields, targets, policy: "policy-1" } });
    expect(objects["slo slo-1"]).toEqual({ type: "slo", name: "Checkout", notes: [] });
    expect(refused.map(({ type }) => type)).toEqual(["monitor"]);
    expect(read({ ...slo, tag: "shop" }).config.slos).toEqual({ "slo-1": { ...fields, tag: "shop" } });
  });

  test("name monitors and policies that are not imported", () => {
    const { config, objects } = read({ ...slo, targets: counting(13, 11, 14, 99), policyId: 8 });
    expect(config.slos?.["slo-1"]).toMatchObject({ targets: ["monitor:m1"] });
    expect(objects["slo slo-1"]?.notes.map(({ text }) => text)).toEqual([
      "Some of its monitors cannot be imported",
      "Its escalation policy cannot be imported; the settings' policy applies",
    ]);
  });

  test.each([
    [{ ...slo, targets: counting(13, 14) }, "None of its monitors can be imported"],
    [{ ...slo, tag: "shop", objective: 100 }, "{field}: {fault}"],
    [{ ...slo }, "{field}: {fault}"],
    [{ name: 5, targets: [null, { id: "11" }] }, "None of its monitors can be imported"],
  ])("are refused without monitors or with invalid fields", (given, text) => {
    const { config, refused } = read(given);
    expect(config.slos).toEqual({});
    expect(refused.at(-1)).toMatchObject({ type: "slo", why: { text } });
  });
});
