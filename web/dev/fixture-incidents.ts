import type { Incident, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import { at, incidents as first } from "./fixture-data.ts";

const minute = 60_000;

/** A long list that starts with one of each kind and state. */
export const incidents: Incident[] = [
  ...first,
  {
    id: "a7",
    target: { type: "agent", id: 4, name: "db-primary" },
    kind: "threshold",
    metric: "disk:/var/lib/postgresql",
    cause: "Disk /var/lib/postgresql at 93.4%, above 90%",
    openedAt: at(52 * minute),
    acknowledgedAt: at(40 * minute),
    acknowledgedBy: "ada",
    note: "Old backups are being deleted.\nShould be below 80 % by 15:00.",
  },
  {
    id: "m38",
    target: { type: "monitor", id: 8, name: "Search API" },
    kind: "stale",
    cause: "Three check results in a row are missing",
    openedAt: at(9 * minute),
  },
  {
    id: "m37",
    target: { type: "monitor", id: 5, name: "Payments with a name that goes on for much longer than a narrow screen" },
    kind: "down",
    cause: "Expected status 200, got 502",
    flaps: 7,
    openedAt: at(96 * minute),
    snoozedUntil: at(-50 * minute),
    snoozedBy: "ada",
  },
  {
    id: "a6",
    target: { type: "agent", id: 4, name: "db-primary" },
    kind: "offline",
    cause: "No report for 30 s",
    openedAt: at(26 * 60 * minute),
    closedAt: at(25 * 60 * minute),
    resolution: "recovered",
  },
  ...Array.from({ length: 60 }, (_, index): Incident => {
    const openedMs = (30 + index * 7) * 60 * minute;
    return {
      id: `m${30 - index > 0 ? 30 - index : 100 + index}`,
      target: { type: "monitor", id: (index % 12) + 1, name: `Monitor ${(index % 12) + 1}` },
      kind: "down",
      cause: "The connection was refused",
      openedAt: at(openedMs),
      closedAt: at(openedMs - (index + 1) * minute),
      resolution: "recovered",
    };
  }),
];

export function makeStory(incident: Incident) {
  const openedMs = Date.parse(incident.openedAt);
  const after = (seconds: number) => new Date(openedMs + seconds * 1000).toISOString();
  const timeline: TimelineEntry[] = [
    { at: after(-2.4), type: "failure", text: "The first check failed", detail: incident.cause },
    { at: after(-0.2), type: "recheck", text: "The re-check failed, too", detail: incident.cause },
    { at: after(0), type: "opened", text: "It went down" },
    { at: after(0.1), type: "alert", text: "Told of: down", kind: "down" },
    { at: after(0.4), type: "delivery", text: "Delivered to On-call", channelId: 1, status: "delivered", detail: "ok" },
    {
      at: after(0.9),
      type: "delivery",
      text: "E-mail to the team failed",
      channelId: 2,
      status: "failed",
      attempts: Array.from({ length: 5 }, (_, index) => ({
        at: after(index),
        statusCode: 403,
        answer:
          "The domain example.com is not verified. Please add and verify your domain on https://resend.com/domains",
        durationMs: 401,
      })),
    },
    {
      at: after(1),
      type: "not_sent",
      text: "“Down” to Night channel is deferred until the maintenance ends",
      channelId: 3,
      reason: "maintenance",
      heldUntil: after(3600),
    },
    ...(incident.flaps === undefined
      ? []
      : [{ at: after(600), type: "flapping" as const, text: "It flaps: ten changes within an hour" }]),
    ...(incident.acknowledgedAt === undefined
      ? []
      : [
          {
            at: incident.acknowledgedAt,
            type: "acknowledged" as const,
            text: `Acknowledged by ${incident.acknowledgedBy}`,
            detail: incident.note,
          },
        ]),
    ...(incident.closedAt === undefined
      ? []
      : [{ at: incident.closedAt, type: "closed" as const, text: "It recovered" }]),
  ];
  return {
    incident,
    timeline,
    evidence: {
      at: after(-2.4),
      location: "default",
      status: { code: 503, line: "HTTP/1.1 503 Service Unavailable" },
      headers: [
        { name: "content-type", value: "text/html; charset=utf-8" },
        { name: "retry-after", value: "120" },
        { name: "server", value: "nginx/1.27.4" },
        { name: "set-cookie", value: "••••••" },
      ],
      body: "<html>\n<head><title>503 Service Temporarily Unavailable</title></head>\n<body>\n<h1>503</h1>\n</body>\n</html>",
      expected: "status 200\nthe JSON value $.data.ok to be true",
      addresses: ["192.0.2.17:443", "[2001:db8::17]:443"],
    },
    ...(incident.closedAt === undefined
      ? {
          latestEvidence: {
            at: at(minute),
            location: "default",
            expected: "status 200",
            addresses: ["192.0.2.17:443"],
            certificate: {
              subject: "CN=payments.example.com",
              issuer: "CN=Example Issuing CA 4, O=Example Trust",
              validFrom: at(90 * 24 * 60 * minute),
              validTo: at(minute),
              problem: "The certificate has expired",
            },
          },
        }
      : {}),
    notChosen: { count: 11, text: "11 other channels aren't used for this target" },
    ...(incident.id === "m37" ? { silencedUntil: at(-3 * 60 * minute) } : {}),
    channels: [
      { channelId: 1, channelName: "On-call", told: true, text: "Told at 09:00:00, and reminded once at 09:30:00." },
      {
        channelId: 2,
        channelName: "E-mail to the team",
        told: false,
        text: "Not told: the provider refused the message.",
      },
      {
        channelId: 3,
        channelName: "Night channel",
        told: false,
        text: "Not told yet: held until the quiet hours end at 07:00.",
      },
      {
        channelId: 4,
        channelName: "Ticket system",
        told: false,
        text: "Not told yet: five attempts failed, it is tried again.",
      },
    ],
    ...(incident.closedAt === undefined && incident.acknowledgedAt === undefined
      ? { nextReminderAt: at(-12 * minute) }
      : {}),
  };
}

/** The response to the link in a message. */
export function linkedIncident(changed: object) {
  const { id, target, openedAt, cause } = incidents[0]!;
  const { evidence } = makeStory(incidents[0]!);
  return {
    incident: {
      id,
      targetName: target.name,
      openedAt,
      cause,
      isOpen: true,
      acknowledged: false,
      runbook: "1. Look at the [board](https://wiki.example/shop)\n2. `kubectl rollout restart deploy/shop`",
      evidence: { ...evidence, headers: undefined, body: undefined },
      ...changed,
    },
    by: "On-call",
  };
}

export const settings = {
  globalMonitor: {
    enabled: true,
    channels: [1, 2, 3],
    events: { down: true, recovery: true },
    cooldownMinutes: 30,
    quietHours: { start: "22:00", end: "07:00", timeZone: "Asia/Shanghai" },
  },
  globalAgent: {
    enabled: true,
    channels: [1, 2],
    events: { offline: true, online: true },
    thresholds: { cpu: 90, memory: null, disk: 85 },
    cooldownMinutes: 30,
  },
  monitors: { "3": { enabled: true, channels: [], events: { down: true, recovery: false }, cooldownMinutes: 0 } },
  agents: {},
};

export const silences = [
  {
    id: 3,
    target: { type: "monitor", id: 5, name: "Payments with a name that goes on for much longer than a narrow screen" },
    until: at(-3 * 60 * minute),
    createdBy: "ada",
    createdAt: at(20 * minute),
  },
  {
    id: 4,
    target: { type: "tag", name: "staging" },
    until: at(-40 * 60 * minute),
    note: "Load test until the morning after next",
    createdBy: "grace",
    createdAt: at(5 * minute),
  },
];

export const channels = [
  { id: 1, name: "On-call", type: "telegram", enabled: true, healthy: true },
  { id: 2, name: "E-mail to the team", type: "resend", enabled: true, healthy: false },
  { id: 3, name: "Night channel", type: "slack", enabled: false, healthy: true },
];
