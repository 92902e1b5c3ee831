import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { expect, test } from "vitest";
import { policyOf } from "../settings/store.ts";
import {
  type Audience,
  decideClosing,
  decideNews,
  decideReminder,
  decideSteady,
  type ChannelDecision,
  type DecisionInput,
  type NotifiedMoments,
} from "./decide.ts";

const chat = 1;
const pager = 2;
const switchedOff = 3;
const added = 4;
const removed = 9;
const channels = new Map<number, Audience>(
  [
    { id: chat, isEnabled: true, reader: "people" as const },
    { id: pager, isEnabled: true, reader: "machine" as const },
    { id: switchedOff, isEnabled: false, reader: "people" as const },
    { id: added, isEnabled: true, reader: "people" as const },
  ].map((channel) => [channel.id, channel]),
);
const noonMs = Date.parse("2026-05-04T12:00:00Z");
const nightMs = Date.parse("2026-05-04T23:00:00Z");
const morningMs = Date.parse("2026-05-05T07:00:00Z");
const quietHours = { start: "22:00", end: "07:00", timeZone: "UTC" };

type Scenario = { kind?: DecisionInput["kind"]; notified?: [number, NotifiedMoments][]; nowMs?: number };
const scenario = (settings: object, { kind = "down", notified = [], nowMs = noonMs }: Scenario = {}) => ({
  kind,
  policy: policyOf(monitorSettings.parse({ channels: [chat, pager], ...settings })),
  channels,
  notified: new Map(notified),
  nowMs,
  maintenanceUntilMs: null,
  silencedUntilMs: null,
  snoozedUntilMs: null,
  parentIncidentId: null,
});
const inWords = (decisions: ChannelDecision[]) =>
  decisions.map(({ channelId, outcome, reason }) =>
    [channelId ?? "-", outcome, ...(reason === outcome ? [] : [reason])].join(" "),
  );

test.each<[string, object, string[]]>([
  ["every channel in the settings", {}, ["1 sent", "2 sent"]],
  ["no channel if notifications are off", { enabled: false }, ["1 skipped disabled", "2 skipped disabled"]],
  ["no channel if the event is off", { events: { down: false } }, ["1 skipped event_off", "2 skipped event_off"]],
  ["no channel if none is selected", { channels: [] }, ["- skipped no_channels"]],
  [
    "no channel if none is selected and notifications are off",
    { channels: [], enabled: false },
    ["- skipped disabled"],
  ],
  ["no disabled channel", { channels: [3, 1] }, ["1 sent", "3 skipped channel_disabled"]],
  ["no deleted channel", { channels: [9, 1] }, ["1 sent"]],
  ["no channel if all were deleted", { channels: [9] }, ["- skipped no_channels"]],
])("an opening notifies %s", (_, settings, expected) => {
  expect(inWords(decideNews(scenario(settings)))).toEqual(expected);
});

test("quiet hours defer alerts to people until they end; a machine is notified at once", () => {
  expect(decideNews(scenario({ quietHours }, { nowMs: nightMs }))).toEqual([
    { channelId: chat, outcome: "held", reason: "quiet_hours", untilMs: morningMs },
    { channelId: pager, outcome: "sent", reason: "sent" },
  ]);
  expect(inWords(decideNews(scenario({ quietHours }, { nowMs: morningMs })))).toEqual(["1 sent", "2 sent"]);
});

test("maintenance defers an opening for every channel until it ends, before any other reason", () => {
  const until = { maintenanceUntilMs: nightMs + 1_000 };
  const input = { ...scenario({ quietHours }, { nowMs: nightMs }), ...until, parentIncidentId: "m7" };
  const held = { outcome: "held", reason: "maintenance", untilMs: nightMs + 1_000 };
  expect(decideNews(input)).toEqual([
    { channelId: chat, ...held },
    { channelId: pager, ...held },
  ]);
  expect(inWords(decideNews({ ...scenario({ enabled: false }), ...until }))).toEqual([
    "1 skipped disabled",
    "2 skipped disabled",
  ]);
});

test.each(["silenced", "snoozed"] as const)(
  "an alert that is %s is deferred for every channel, before quiet hours do",
  (reason) => {
    const input = { ...scenario({ quietHours }, { nowMs: nightMs }), [`${reason}UntilMs`]: nightMs + 1_000 };
    expect(decideNews({ ...input, parentIncidentId: "m7" })).toEqual(
      [chat, pager].map((channelId) => ({ channelId, outcome: "held", reason, untilMs: nightMs + 1_000 })),
    );
    const notified = { ...input, notified: new Map([[chat, { opened: true }]]), quiet: false };
    expect(inWords(decideClosing(notified))).toEqual(["1 sent", "2 skipped opening_not_told"]);
  },
);

test("maintenance does not defer the closing of an incident that was sent", () => {
  const notified = scenario({}, { notified: [[chat, { opened: true }]] });
  const decisions = decideClosing({ ...notified, maintenanceUntilMs: noonMs + 1_000, quiet: false });
  expect(inWords(decisions)).toEqual(["1 sent", "2 skipped opening_not_told"]);
});

test("a member whose group alerts sends nothing, not even after maintenance, and no end", () => {
  const input = { ...scenario({}), isLeftToGroup: true, maintenanceUntilMs: morningMs };
  const held = { outcome: "held", reason: "group", untilMs: null };
  expect(decideNews(input)).toEqual([
    { channelId: chat, ...held },
    { channelId: pager, ...held },
  ]);
  expect(inWords(decideClosing({ ...input, quiet: false }))).toEqual([
    "1 skipped opening_not_told",
    "2 skipped opening_not_told",
  ]);
});

test("an open incident of a dependency defers an opening for every channel, with no known end", () => {
  const input = { ...scenario({ quietHours }, { nowMs: nightMs }), parentIncidentId: "m7" };
  const held = { outcome: "held", reason: "dependency", untilMs: null, parentIncidentId: "m7" };
  expect(decideNews(input)).toEqual([
    { channelId: chat, ...held },
    { channelId: pager, ...held },
  ]);
});

test("a monitor without results is treated like one that is down", () => {
  expect(inWords(decideNews(scenario({ events: { down: false } }, { kind: "stale" })))).toEqual([
    "1 skipped event_off",
    "2 skipped event_off",
  ]);
});

test("agents follow the event offline, thresholds no event", () => {
  const policy = policyOf(agentSettings.parse({ channels: [chat], events: { offline: false, online: false } }));
  expect(inWords(decideNews({ ...scenario({}, { kind: "offline" }), policy }))).toEqual(["1 skipped event_off"]);
  expect(inWords(decideNews({ ...scenario({}, { kind: "threshold" }), policy }))).toEqual(["1 sent"]);
  const off = policyOf(agentSettings.parse({ channels: [chat], enabled: false }));
  expect(inWords(decideNews({ ...scenario({}, { kind: "threshold" }), policy: off }))).toEqual(["1 skipped disabled"]);
});

const close = (settings: object, given: Scenario, quiet = false) =>
  inWords(decideClosing({ ...scenario(settings, given), quiet }));
const both: [number, NotifiedMoments][] = [
  [chat, { opened: true }],
  [pager, { opened: true }],
];

test.each<[string, object, Scenario, string[]]>([
  ["channels that were notified of the opening", {}, { notified: both }, ["1 sent", "2 sent"]],
  ["them even in quiet hours", { quietHours }, { notified: both, nowMs: nightMs }, ["1 sent", "2 sent"]],
  ["no other channel", {}, { notified: [[chat, { opened: true }]] }, ["1 sent", "2 skipped opening_not_told"]],
  [
    "no channel whose opening is still deferred",
    {},
    { notified: [[chat, { isWaiting: true }], both[1]!] },
    ["1 skipped opening_not_told", "2 sent"],
  ],
  [
    "machines even if the event is off",
    { events: { recovery: false } },
    { notified: both },
    ["1 skipped event_off", "2 sent"],
  ],
  ["machines even if notifications are off", { enabled: false }, { notified: both }, ["1 skipped disabled", "2 sent"]],
  ["channels that were removed from the settings", { channels: [] }, { notified: both }, ["1 sent", "2 sent"]],
  [
    "no channel that was disabled in the meantime",
    { channels: [switchedOff] },
    { notified: [[switchedOff, { opened: true }]] },
    ["3 skipped channel_disabled"],
  ],
  ["no deleted channel", { channels: [] }, { notified: [[removed, { opened: true }]] }, ["- skipped no_channels"]],
  [
    "channels that were only notified by a reminder",
    {},
    { notified: [[chat, { reminder: true }], both[1]!] },
    ["1 sent", "2 sent"],
  ],
])("a closing notifies %s", (_, settings, given, expected) => {
  expect(close(settings, given)).toEqual(expected);
});

test("only machines are notified if a user paused, edited or deleted the target", () => {
  expect(close({}, { notified: both }, true)).toEqual(["1 skipped ended_by_people", "2 sent"]);
  expect(close({}, { notified: [] }, true)).toEqual(["1 skipped opening_not_told", "2 skipped opening_not_told"]);
});

test("only channels that were notified of flapping are notified of its end", () => {
  const notified: [number, NotifiedMoments][] = [
    [chat, { opened: true, flapping: true }],
    [pager, { opened: true }],
  ];
  expect(inWords(decideSteady(scenario({}, { notified })))).toEqual(["1 sent", "2 skipped opening_not_told"]);
  expect(inWords(decideSteady(scenario({ events: { recovery: false } }, { notified })))).toEqual([
    "1 skipped event_off",
    "2 skipped event_off",
  ]);
});

test("a reminder goes to all selected channels, except those whose opening or reminder is still deferred", () => {
  const notified: [number, NotifiedMoments][] = [
    [chat, { isWaiting: true }],
    [pager, { opened: true }],
  ];
  expect(inWords(decideReminder(scenario({ channels: [chat, pager, added] }, { notified })))).toEqual([
    "2 sent",
    "4 sent",
  ]);
  const waiting: [number, NotifiedMoments][] = [[chat, { opened: true, isWaiting: true }]];
  expect(decideReminder(scenario({ channels: [chat] }, { notified: waiting }))).toEqual([]);
  expect(decideReminder(scenario({ channels: [] }))).toEqual([]);
});

test("quiet hours and dependencies defer a reminder", () => {
  expect(inWords(decideReminder(scenario({ quietHours }, { notified: both, nowMs: nightMs })))).toEqual([
    "1 held quiet_hours",
    "2 sent",
  ]);
  expect(inWords(decideReminder({ ...scenario({}, { notified: both }), parentIncidentId: "a3" }))).toEqual([
    "1 held dependency",
    "2 held dependency",
  ]);
});
