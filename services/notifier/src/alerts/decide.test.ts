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

type Given = { kind?: DecisionInput["kind"]; told?: [number, NotifiedMoments][]; nowMs?: number };
const asked = (settings: object, { kind = "down", told = [], nowMs = noonMs }: Given = {}) => ({
  kind,
  policy: policyOf(monitorSettings.parse({ channels: [chat, pager], ...settings })),
  channels,
  told: new Map(told),
  nowMs,
  maintenanceUntilMs: null,
  silencedUntilMs: null,
  snoozedUntilMs: null,
  parentIncidentId: null,
});
/** `1 sent`, `2 held quiet_hours`, `- skipped no_channels` */
const inWords = (decisions: ChannelDecision[]) =>
  decisions.map(({ channelId, outcome, reason }) =>
    [channelId ?? "-", outcome, ...(reason === outcome ? [] : [reason])].join(" "),
  );

test.each<[string, object, string[]]>([
  ["every channel that the settings name", {}, ["1 sent", "2 sent"]],
  ["nobody, of settings that are switched off", { enabled: false }, ["1 skipped disabled", "2 skipped disabled"]],
  ["nobody, of an event that is off", { events: { down: false } }, ["1 skipped event_off", "2 skipped event_off"]],
  ["nobody, where no channel is named", { channels: [] }, ["- skipped no_channels"]],
  ["nobody, where no channel is named and all is off", { channels: [], enabled: false }, ["- skipped disabled"]],
  ["not a channel that is switched off", { channels: [3, 1] }, ["1 sent", "3 skipped channel_disabled"]],
  ["not a channel that is gone", { channels: [9, 1] }, ["1 sent"]],
  ["nobody, where all channels are gone", { channels: [9] }, ["- skipped no_channels"]],
])("an opening tells %s", (_, settings, expected) => {
  expect(inWords(decideNews(asked(settings)))).toEqual(expected);
});

test("quiet hours hold what people would be told, until they end; a machine is told at once", () => {
  expect(decideNews(asked({ quietHours }, { nowMs: nightMs }))).toEqual([
    { channelId: chat, outcome: "held", reason: "quiet_hours", untilMs: morningMs },
    { channelId: pager, outcome: "sent", reason: "sent" },
  ]);
  expect(inWords(decideNews(asked({ quietHours }, { nowMs: morningMs })))).toEqual(["1 sent", "2 sent"]);
});

test("maintenance holds an opening for every channel until it ends, before anything else that would", () => {
  const until = { maintenanceUntilMs: nightMs + 1_000 };
  const question = { ...asked({ quietHours }, { nowMs: nightMs }), ...until, parentIncidentId: "m7" };
  const held = { outcome: "held", reason: "maintenance", untilMs: nightMs + 1_000 };
  expect(decideNews(question)).toEqual([
    { channelId: chat, ...held },
    { channelId: pager, ...held },
  ]);
  expect(inWords(decideNews({ ...asked({ enabled: false }), ...until }))).toEqual([
    "1 skipped disabled",
    "2 skipped disabled",
  ]);
});

test.each(["silenced", "snoozed"] as const)(
  "what is %s is held for every channel, before quiet hours would",
  (reason) => {
    const question = { ...asked({ quietHours }, { nowMs: nightMs }), [`${reason}UntilMs`]: nightMs + 1_000 };
    expect(decideNews({ ...question, parentIncidentId: "m7" })).toEqual(
      [chat, pager].map((channelId) => ({ channelId, outcome: "held", reason, untilMs: nightMs + 1_000 })),
    );
    const told = { ...question, told: new Map([[chat, { opened: true }]]), quiet: false };
    expect(inWords(decideClosing(told))).toEqual(["1 sent", "2 skipped opening_not_told"]);
  },
);

test("maintenance holds no closing of what was told", () => {
  const told = asked({}, { told: [[chat, { opened: true }]] });
  const decisions = decideClosing({ ...told, maintenanceUntilMs: noonMs + 1_000, quiet: false });
  expect(inWords(decisions)).toEqual(["1 sent", "2 skipped opening_not_told"]);
});

test("an open incident of what it depends on holds an opening for every channel, without an end", () => {
  const question = { ...asked({ quietHours }, { nowMs: nightMs }), parentIncidentId: "m7" };
  const held = { outcome: "held", reason: "dependency", untilMs: null, parentIncidentId: "m7" };
  expect(decideNews(question)).toEqual([
    { channelId: chat, ...held },
    { channelId: pager, ...held },
  ]);
});

test("a monitor without results is told as down is", () => {
  expect(inWords(decideNews(asked({ events: { down: false } }, { kind: "stale" })))).toEqual([
    "1 skipped event_off",
    "2 skipped event_off",
  ]);
});

test("of agents the event offline is asked, but of thresholds none", () => {
  const policy = policyOf(agentSettings.parse({ channels: [chat], events: { offline: false, online: false } }));
  expect(inWords(decideNews({ ...asked({}, { kind: "offline" }), policy }))).toEqual(["1 skipped event_off"]);
  expect(inWords(decideNews({ ...asked({}, { kind: "threshold" }), policy }))).toEqual(["1 sent"]);
  const off = policyOf(agentSettings.parse({ channels: [chat], enabled: false }));
  expect(inWords(decideNews({ ...asked({}, { kind: "threshold" }), policy: off }))).toEqual(["1 skipped disabled"]);
});

const close = (settings: object, given: Given, quiet = false) =>
  inWords(decideClosing({ ...asked(settings, given), quiet }));
const both: [number, NotifiedMoments][] = [
  [chat, { opened: true }],
  [pager, { opened: true }],
];

test.each<[string, object, Given, string[]]>([
  ["those who were told that it opened", {}, { told: both }, ["1 sent", "2 sent"]],
  ["them in quiet hours too", { quietHours }, { told: both, nowMs: nightMs }, ["1 sent", "2 sent"]],
  ["nobody who was not", {}, { told: [[chat, { opened: true }]] }, ["1 sent", "2 skipped opening_not_told"]],
  [
    "nobody for whom the opening still waits",
    {},
    { told: [[chat, { isWaiting: true }], both[1]!] },
    ["1 skipped opening_not_told", "2 sent"],
  ],
  [
    "machines, whatever the event says",
    { events: { recovery: false } },
    { told: both },
    ["1 skipped event_off", "2 sent"],
  ],
  [
    "machines, where the settings were switched off",
    { enabled: false },
    { told: both },
    ["1 skipped disabled", "2 sent"],
  ],
  ["those whom the settings name no longer", { channels: [] }, { told: both }, ["1 sent", "2 sent"]],
  [
    "no channel that was switched off meanwhile",
    { channels: [switchedOff] },
    { told: [[switchedOff, { opened: true }]] },
    ["3 skipped channel_disabled"],
  ],
  ["no channel that is gone", { channels: [] }, { told: [[removed, { opened: true }]] }, ["- skipped no_channels"]],
  ["those whom only a reminder told", {}, { told: [[chat, { reminder: true }], both[1]!] }, ["1 sent", "2 sent"]],
])("a closing tells %s", (_, settings, given, expected) => {
  expect(close(settings, given)).toEqual(expected);
});

test("what people ended by pausing, editing or deleting is told to machines alone", () => {
  expect(close({}, { told: both }, true)).toEqual(["1 skipped ended_by_people", "2 sent"]);
  expect(close({}, { told: [] }, true)).toEqual(["1 skipped opening_not_told", "2 skipped opening_not_told"]);
});

test("the end of flapping is told to those who were told of flapping", () => {
  const told: [number, NotifiedMoments][] = [
    [chat, { opened: true, flapping: true }],
    [pager, { opened: true }],
  ];
  expect(inWords(decideSteady(asked({}, { told })))).toEqual(["1 sent", "2 skipped opening_not_told"]);
  expect(inWords(decideSteady(asked({ events: { recovery: false } }, { told })))).toEqual([
    "1 skipped event_off",
    "2 skipped event_off",
  ]);
});

test("a reminder goes to all that the settings name, but for those who still wait for the opening or a reminder", () => {
  const told: [number, NotifiedMoments][] = [
    [chat, { isWaiting: true }],
    [pager, { opened: true }],
  ];
  expect(inWords(decideReminder(asked({ channels: [chat, pager, added] }, { told })))).toEqual(["2 sent", "4 sent"]);
  const waiting: [number, NotifiedMoments][] = [[chat, { opened: true, isWaiting: true }]];
  expect(decideReminder(asked({ channels: [chat] }, { told: waiting }))).toEqual([]);
  expect(decideReminder(asked({ channels: [] }))).toEqual([]);
});

test("a reminder is held by quiet hours and by what the target depends on", () => {
  expect(inWords(decideReminder(asked({ quietHours }, { told: both, nowMs: nightMs })))).toEqual([
    "1 held quiet_hours",
    "2 sent",
  ]);
  expect(inWords(decideReminder({ ...asked({}, { told: both }), parentIncidentId: "a3" }))).toEqual([
    "1 held dependency",
    "2 held dependency",
  ]);
});
