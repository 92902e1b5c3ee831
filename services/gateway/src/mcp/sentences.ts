import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import type { Incident, IncidentKind, incidentStoryAnswer } from "@sonde/proto/http/incidents/incidents";
import type { HistorySummary } from "@sonde/proto/http/monitors/checks";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { z } from "zod";
import type { Say } from "./words.ts";

/** Long timelines are cut at the beginning. */
const maxEntries = 30;
const named = {
  down: "{name} is down",
  offline: "{name} is offline",
  threshold: "{name} is above its threshold",
  stale: "{name} has no data",
  partial: "{name} is down from some locations",
  slow: "{name} is slow",
  external: "{name} reports an alert",
  slo: "{name} spends an error budget too fast",
} as const satisfies Record<IncidentKind, string>;

const percent = (value: number | null) => (value === null ? "–" : Math.round(value * 1000) / 1000);
const ms = (value: number | null) => (value === null ? "–" : Math.round(value));

export function describeIncident(incident: Incident, say: Say, base: string): string {
  const { id, kind, target, openedAt, cause, closedAt, acknowledgedAt, acknowledgedBy = "", note = "" } = incident;
  const until = incident.snoozedUntil ?? incident.silencedUntil;
  const params = { id, type: target.type, target: target.id, since: openedAt, cause: cause.replace(/[.。]$/, "") };
  return [
    say("Incident {id}: {what} ({type} {target}), since {since}: {cause}.", {
      ...params,
      what: say(named[kind], { name: target.name }),
    }),
    ...(closedAt === undefined ? [] : [say("It ended at {at}.", { at: closedAt })]),
    ...(acknowledgedAt === undefined ? [] : [acknowledgement(say, acknowledgedBy, note)]),
    ...(until === undefined || closedAt !== undefined ? [] : [say("Messages are deferred until {until}.", { until })]),
    `${base}/incidents/${id}`,
  ].join(" ");
}

const acknowledgement = (say: Say, name: string, note: string) =>
  note === "" ? say("Acknowledged by {name}.", { name }) : say("Acknowledged by {name}: {note}", { name, note });

export function describeMonitor(monitor: Monitor, say: Say, base: string): string {
  const { id, name, target, status, stale, slow, statusSince: since, inMaintenance } = monitor;
  const states = {
    up: "Monitor {id}: {name} ({target}) is up since {since}",
    down: "Monitor {id}: {name} ({target}) is down since {since}",
    pending:
      monitor.type === "group"
        ? "Monitor {id}: {name} ({target}) has no members with a state"
        : "Monitor {id}: {name} ({target}) is waiting for its first check",
    paused: "Monitor {id}: {name} ({target}) is paused",
  } as const satisfies Record<Monitor["status"], string>;
  const state = stale ? "Monitor {id}: {name} ({target}) has no data" : states[status];
  const reason = status === "down" && !stale && monitor.lastError !== undefined ? `: ${monitor.lastError}` : ".";
  return [
    `${say(state, { id, name, target, since })}${reason.replace(/\s+/g, " ").slice(0, 500)}`,
    ...(slow ? [say("It is slow.")] : []),
    ...(monitor.type === "group" ? describeMembers(monitor, say) : []),
    ...(inMaintenance === true ? [say("It is in maintenance.")] : []),
    `${base}/monitors/${id}`,
  ].join(" ");
}

function describeMembers({ status, counts: { up, down }, needed }: Monitor & { type: "group" }, say: Say): string[] {
  // While it is down, its reason says so.
  if (status !== "up") return [];
  return [say("{up} of {count} members are up, {needed} needed.", { up, count: up + down, needed })];
}

export function describeSummary(summary: HistorySummary, say: Say): string[] {
  const { from, until, checks, failures, uptime, coverage, p50, p95 } = summary;
  if (checks === 0) return [say("From {from} to {until}: no completed checks.", { from, until })];
  const figures = { from, until, checks, failures, uptime: percent(uptime), coverage: percent(coverage) };
  return [
    say(
      "From {from} to {until}: {uptime} % uptime, {failures} of {checks} checks failed, {coverage} % of due checks completed.",
      figures,
    ),
    say("Response times of successful checks: median {p50} ms, 95 % within {p95} ms.", { p50: ms(p50), p95: ms(p95) }),
  ];
}

export function describeStory(story: z.infer<typeof incidentStoryAnswer>, say: Say, base: string): string[] {
  const { incident, channels, notChosen, timeline, omitted = 0, nextReminderAt } = story;
  const shown = timeline.slice(-maxEntries);
  const left = omitted + timeline.length - shown.length;
  const isKnown = story.unavailable?.includes("notifications") !== true;
  return [
    describeIncident(incident, say, base),
    ...(channels.length > 0 ? [say("Channels:"), ...channels.map(({ text }) => `- ${text}`)] : []),
    ...(channels.length === 0 && isKnown ? [say("No channel is selected.")] : []),
    ...(notChosen === undefined ? [] : [notChosen.text]),
    say("Timeline, oldest first:"),
    ...(left > 0 ? [say("Omitted entries: {count}.", { count: left })] : []),
    ...shown.map(({ at, text }) => `- ${at} ${text}`),
    ...(nextReminderAt === undefined ? [] : [say("The next reminder is due at {at}.", { at: nextReminderAt })]),
  ];
}

/** Conflicts first; up to `max` of each kind of change. */
export function describePlan({ create, update, remove, same, conflicts }: ConfigPlan, say: Say, max: number): string[] {
  const text = (value: unknown) => JSON.stringify(value) ?? "–";
  const parts = [
    conflicts.map(({ path, message }) => say("Conflict at {path}: {message}", { path, message })),
    create.map((path) => say("Create {path}", { path })),
    update.map(({ path, from, to }) =>
      say("Change {path} from {from} to {to}", { path, from: text(from), to: text(to) }),
    ),
    remove.map((path) => say("Remove {path}", { path })),
  ];
  const left = parts.reduce((sum, { length }) => sum + Math.max(0, length - max), 0);
  const counts = { create: create.length, update: update.length, remove: remove.length, same: same.length };
  return [
    say(
      "Objects to create: {create}, fields to change: {update}, objects to remove: {remove}, unchanged: {same}.",
      counts,
    ),
    ...parts.flatMap((lines) => lines.slice(0, max)),
    ...(left > 0 ? [say("Omitted entries: {count}.", { count: left })] : []),
  ];
}
