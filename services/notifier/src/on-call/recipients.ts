import type { Language } from "@sonde/proto/http/messages";
import type { ContactWay } from "@sonde/proto/http/on-call/contacts";
import type { QuietHours } from "@sonde/proto/http/notifications/settings";
import { type Audience, type ChannelDecision, quietUntil } from "../alerts/decide.ts";
import type { NotifiedIncident } from "../alerts/incident.ts";
import { minuteMs } from "./escalations.ts";
import { onCallAt, type OverrideSpan, type Rotation } from "./schedules/on-call-at.ts";
import type { Policy } from "./policies/store.ts";

export type Urgency = "high" | "low";

/** `channelId`: the person's own channel, or for `channel` that of the team. Absent for `push`: all devices. */
export type StoredRule = { urgency: Urgency; after: number; via: ContactWay; channelId?: number | undefined };
export type StoredContacts = {
  timeZone: string;
  night: { start: string; end: string } | null;
  rules: readonly StoredRule[];
  /** Whether they get a message when their shift begins; absent: yes. */
  handoff?: boolean | undefined;
  /** Language of messages to them; absent for the language of the settings. */
  language?: Language | undefined;
};

export type SteppedSchedule = Rotation & { overrides: readonly OverrideSpan[] };

/** What a step needs to find its recipients. */
export type OnCall = {
  policies: ReadonlyMap<number, Policy>;
  schedules: ReadonlyMap<number, SteppedSchedule>;
  contacts: ReadonlyMap<number, StoredContacts>;
  /** Channels of push devices by user. */
  devices: ReadonlyMap<number, readonly number[]>;
  /** Whether the account is deleted or disabled. */
  isAway(userId: number): boolean;
};

/** Splits `schedule:4`. */
export function readRecipient(recipient: string): { kind: string; id: number } {
  const [kind = "", id = ""] = recipient.split(":");
  return { kind, id: Number(id) };
}

export const membersOf = ({ layers }: Pick<SteppedSchedule, "layers">): number[] => [
  ...new Set(layers.flatMap(({ members }) => members)),
];

/** Returns who a step notifies at an instant. `gaps`: schedules with nobody on call. Deleted and disabled users are skipped. */
export function recipientsAt(notify: readonly string[], onCall: OnCall, atMs: number) {
  const [users, channelIds, gaps] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const add = (userId: number) => onCall.isAway(userId) || users.add(userId);
  for (const { kind, id } of notify.map(readRecipient)) {
    const schedule = onCall.schedules.get(id);
    if (kind === "channel") channelIds.add(id);
    else if (kind === "user") add(id);
    else if (kind === "everyone") membersOf(schedule ?? { layers: [] }).forEach(add);
    else {
      const now = schedule && onCallAt(schedule, schedule.overrides, atMs);
      if (now === undefined || onCall.isAway(now.userId)) gaps.add(id);
      else add(now.userId);
    }
  }
  return { users: [...users], channelIds: [...channelIds], gaps: [...gaps] };
}

/** A channel to notify, at once or later. */
export type Contact = { channelId: number; afterMs: number; night?: QuietHours | undefined };

/** Returns the contacts of a user. Without rules for the urgency, it is mail to the account's address. */
export function contactsOf(
  userId: number,
  urgency: Urgency,
  { contacts, devices }: Pick<OnCall, "contacts" | "devices">,
  accountChannelId: number | undefined,
): Contact[] {
  const own = contacts.get(userId);
  const night = own?.night ? { ...own.night, timeZone: own.timeZone } : undefined;
  const rules = own?.rules.filter((rule) => rule.urgency === urgency) ?? [];
  const found = rules.flatMap(({ via, after, channelId }) => {
    const ids = via === "push" ? (devices.get(userId) ?? []) : [channelId].flatMap((id) => id ?? []);
    return ids.map((id) => ({ channelId: id, afterMs: after * minuteMs, night }));
  });
  if (found.length > 0 || accountChannelId === undefined) return found;
  return [{ channelId: accountChannelId, afterMs: 0, night }];
}

/** Low urgency: the incident's target is listed in the policy, by id or by tag. */
export function urgencyOf({ lowUrgency }: Policy, { target, facts }: NotifiedIncident): Urgency {
  if (lowUrgency === undefined) return "high";
  const isListed = target.type === "monitor" && lowUrgency.monitors.includes(target.id);
  return isListed || lowUrgency.tags.some((tag) => facts.tags.includes(tag)) ? "low" : "high";
}

type StepInput = {
  urgency: Urgency;
  quietHours: QuietHours | null;
  channels: ReadonlyMap<number, Audience>;
  nowMs: number;
};

/**
 * Decides when a step notifies each channel: after the delay of the person's rule and, for low urgency, after quiet
 * hours and the person's night. A channel with several rules is notified once, at the earliest time.
 */
export function decideStep(contacts: readonly Contact[], input: StepInput): ChannelDecision[] {
  const planned = new Map<number, { contact: Contact; due: ReturnType<typeof dueOf> }>();
  for (const contact of contacts) {
    const due = dueOf(contact, input);
    const known = planned.get(contact.channelId);
    if (known === undefined || due.atMs < known.due.atMs) planned.set(contact.channelId, { contact, due });
  }
  return [...planned].flatMap(([channelId, { due }]): ChannelDecision[] => {
    const channel = input.channels.get(channelId);
    if (channel === undefined) return [];
    if (!channel.isEnabled) return [{ channelId, outcome: "skipped", reason: "channel_disabled" }];
    if (due.reason === undefined) return [{ channelId, outcome: "sent", reason: "sent" }];
    return [{ channelId, outcome: "held", reason: due.reason, untilMs: due.atMs }];
  });
}

type Due = { atMs: number; reason?: "waiting" | "quiet_hours" | "low_urgency" };

function dueOf({ channelId, afterMs, night }: Contact, { urgency, quietHours, channels, nowMs }: StepInput): Due {
  let due: Due = afterMs > 0 ? { atMs: Math.round(nowMs + afterMs), reason: "waiting" } : { atMs: nowMs };
  if (urgency === "high") return due;
  const isRead = channels.get(channelId)?.reader === "people";
  // Quiet hours may end within the night, and the reverse.
  for (let round = 0; round < 2; round += 1) {
    const quietMs = quietHours === null || !isRead ? null : quietUntil(quietHours, due.atMs);
    if (quietMs !== null) due = { atMs: quietMs, reason: "quiet_hours" };
    const nightMs = night === undefined ? null : quietUntil(night, due.atMs);
    if (nightMs !== null) due = { atMs: nightMs, reason: "low_urgency" };
  }
  return due;
}
