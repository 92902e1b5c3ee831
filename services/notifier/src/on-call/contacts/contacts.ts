import { type FieldFault, impossible, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { type ChannelTypeName, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Language } from "@sonde/proto/http/messages";
import type { ContactsAnswer, ContactsInput, ContactWay } from "@sonde/proto/http/on-call/contacts";
import { canCall } from "@sonde/proto/http/notifications/channels/twilio-voice";
import { safeParse } from "zod";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { applyConfig, shownConfig } from "../../channels/config.ts";
import { deleteChannel, type StoredChannel } from "../../channels/channels.ts";
import type { Context } from "../../context.ts";
import type { TestChannel } from "../../deliveries/test.ts";
import { accountChannels, ownedName } from "./account-mail.ts";
import { listDevices, saveDevices } from "./devices.ts";
import { readContacts, readDevices } from "../load.ts";
import type { People, UserAccount } from "../people.ts";
import type { StoredContacts, StoredRule } from "../recipients.ts";

type Rule = ContactsInput["rules"][number];
type Way = {
  /** Types of the person's channel, and of the channels that send, except for `voice`. */
  types: readonly string[];
  /** Where the address is in the configuration. */
  field: string;
  isSent: boolean;
};

/** `push` and `channel` have no address. `isSent`: a channel of the team sends, so only the address is the person's. */
const ways: Readonly<Record<Exclude<ContactWay, "push" | "channel">, Way>> = {
  mail: { types: ["smtp", "resend"], field: "to", isSent: true },
  telegram: { types: ["telegram"], field: "chatId", isSent: true },
  sms: { types: ["twilio"], field: "to", isSent: true },
  voice: { types: ["twilio"], field: "to", isSent: true },
  ntfy: { types: ["ntfy"], field: "topic", isSent: false },
  webhook: { types: ["webhook"], field: "url", isSent: false },
};

/** Returns a user's contacts, with secret addresses masked. */
export async function getContacts(
  { db, secrets }: Pick<Context, "db" | "secrets">,
  userId: number,
): Promise<ContactsAnswer["contacts"]> {
  const [stored, channels, devices] = await Promise.all([
    readContacts(db, [userId]),
    ownChannels(db, userId),
    listDevices({ secrets }, db, userId),
  ]);
  const { timeZone = "UTC", night = null, rules = [], language, handoff = true } = stored.get(userId) ?? {};
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return {
    timeZone,
    language,
    night,
    handoff,
    rules: rules.map(({ channelId, ...rule }) => {
      const channel = byId.get(channelId ?? 0);
      if (channel === undefined) return { ...rule, channel: channelId };
      const to = channel.isAccount ? undefined : addressOf(rule.via, channel);
      return { ...rule, to, channel: channel.throughId ?? undefined, ...proofOf(channel) };
    }),
    subscriptions: devices,
  };
}

type OwnChannel = StoredChannel & { isAccount: boolean };

const ownChannels = (db: Database, userId: number): Promise<OwnChannel[]> =>
  db("channels").where({ userId }).orderBy("id").select<OwnChannel[]>();

const proofOf = ({ provenAtMs, refusal }: StoredChannel) => ({
  lastProvenAt: provenAtMs === null ? undefined : new Date(provenAtMs).toISOString(),
  problem: refusal ?? undefined,
});

function addressOf(via: ContactWay, { type, config }: StoredChannel): string | undefined {
  if (via === "push" || via === "channel") return undefined;
  const shown = shownConfig(type, config);
  if (via === "ntfy") return `${String(shown["serverUrl"])}/${String(shown["topic"])}`;
  return String(shown[ways[via].field]);
}

/**
 * Replaces a user's contacts. A contact with the same address keeps its channel, with its health and history; the
 * others are removed. Devices are saved first, so that a rule can use one that is added.
 * @throws AppError `invalid` or `impossible`, naming each rule
 */
export async function putContacts(
  ctx: Context,
  user: UserAccount,
  { rules, subscriptions, ...rest }: ContactsInput,
): Promise<ContactsAnswer["contacts"]> {
  const nowMs = Math.round(ctx.clock.now());
  await ctx.db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' contacts', ?))", [user.id]);
    if (subscriptions !== undefined) await saveDevices(ctx, trx, user, subscriptions);
    const team = await trx("channels").where({ userId: null, enabled: true }).orderBy("id").select<StoredChannel[]>();
    const before = await ownChannels(trx, user.id);
    const devices = (await readDevices(trx, [user.id])).get(user.id) ?? [];
    const free = [...before].filter(({ isAccount, type }) => !isAccount && type !== "web-push");
    const planned = rules.map((rule, index) => plan(ctx, rule, `rules.${index}`, { team, free, user, devices }));
    const faults = planned.flatMap((one) => ("faults" in one ? one.faults : []));
    if (faults.length > 0) throw planned.some((one) => "isImpossible" in one) ? impossible(faults) : invalid(faults);
    const stored: StoredRule[] = [];
    for (const [index, { urgency, after, via }] of rules.entries()) {
      stored.push({ urgency, after, via, channelId: await save(trx, user, planned[index]!, nowMs) });
    }
    for (const { id } of free) await deleteChannel(trx, id);
    const value = JSON.stringify({ ...rest, rules: stored } satisfies StoredContacts);
    await trx("contacts").insert({ userId: user.id, value, updatedAtMs: nowMs }).onConflict("user_id").merge();
  });
  return getContacts(ctx, user.id);
}

type Planned =
  | { faults: FieldFault[]; isImpossible?: true }
  /** An existing channel, or none for push. */
  | { channelId: number | undefined }
  | { account: true }
  | { channel: Pick<StoredChannel, "name" | "type" | "config" | "throughId"> };

type Known = { team: readonly StoredChannel[]; free: OwnChannel[]; user: UserAccount; devices: readonly number[] };

/** Takes a channel that is kept out of `free`. */
function plan(ctx: Context, rule: Rule, path: string, { team, free, user, devices }: Known): Planned {
  const { via, to, channel } = rule;
  const fault = (field: string, message: FieldFault["message"]) => ({
    faults: [{ path: `${path}.${field}`, message }],
  });
  const missing = (field: string, message: FieldFault["message"]) =>
    ({ ...fault(field, message), isImpossible: true }) as const;
  if (via === "push") {
    return devices.length > 0 ? { channelId: undefined } : missing("via", "Add a device before you select push");
  }
  if (via === "channel") {
    const isKnown = team.some(({ id }) => id === channel);
    return isKnown ? { channelId: channel } : missing("channel", "Notification channel does not exist");
  }
  const { types, field, isSent } = ways[via];
  const isCall = via === "voice";
  if (isCall && ctx.publicUrl === null) return missing("via", "Calls need PUBLIC_URL: ask an administrator to set it");
  const sending = team.filter(({ id, type }) => types.includes(type) && (channel === undefined || id === channel));
  const sender = sending.find(({ config }) => !isCall || canCall(config));
  if (isCall && sender === undefined && sending.length > 0) {
    return missing("via", "No Twilio channel can call: one needs a phone number as sender, and no API key");
  }
  if (isSent && sender === undefined) {
    return missing("via", "No enabled channel can send to this contact: ask an administrator to create one");
  }
  if (via === "mail" && to === undefined) {
    return user.email === undefined ? missing("to", "Your account has no email address") : { account: true };
  }
  if (to === undefined) return fault("to", "This contact needs an address");
  const throughId = isSent ? (sender?.id ?? null) : null;
  const type = isCall ? "twilio-voice" : ((isSent ? sender!.type : types[0]) as ChannelTypeName);
  // A masked address is that of the next channel of this type.
  const at = free.findIndex((one) => one.type === type && one.throughId === throughId && addressOf(via, one) === to);
  const [same] = at === -1 ? [] : free.splice(at, 1);
  if (same !== undefined) return { channelId: same.id };
  const { config, faults } =
    via === "ntfy" || via === "webhook" ? ownConfig(ctx, type, via, to) : addressConfig(type, field, to);
  if (faults.length > 0) return { faults: faults.map((one) => ({ ...one, path: `${path}.to` })) };
  return { channel: { name: ownedName(user.name, isCall ? "call" : via), type, config, throughId } };
}

/** Only the address: the rest is the sending channel's. */
function addressConfig(type: ChannelTypeName, field: string, to: string) {
  const parsed = safeParse(channelTypeOf(type).fields[field]!, to);
  const isOne = !String(to).includes(",");
  if (parsed.success && isOne) return { config: { [field]: parsed.data }, faults: [] };
  const faults: FieldFault[] = parsed.success
    ? [{ path: "to", message: "This value is not valid" }]
    : faultsOf(parsed.error.issues);
  return { config: {}, faults };
}

function ownConfig(ctx: Context, type: ChannelTypeName, via: "ntfy" | "webhook", to: string) {
  const topic = /^(?<serverUrl>https?:\/\/.+)\/(?<topic>[^/]+)$/.exec(to)?.groups;
  const given = via === "webhook" ? { url: to } : topic === undefined ? { topic: to } : { ...topic };
  return applyConfig(ctx, type, { given, before: null });
}

async function save(trx: Database, user: UserAccount, planned: Planned, nowMs: number): Promise<number | undefined> {
  if ("channelId" in planned) return planned.channelId;
  if ("account" in planned) return (await accountChannels(trx, [user], nowMs)).get(user.id);
  if ("faults" in planned) return undefined;
  const { config, ...channel } = planned.channel;
  const row = { ...channel, config: JSON.stringify(config), userId: user.id, enabled: true };
  const [made] = await trx("channels")
    .insert({ ...row, createdAtMs: nowMs, updatedAtMs: nowMs })
    .returning<{ id: number }[]>("id");
  return made?.id;
}

/**
 * Sends a test to the contact of a rule, for `push` to all devices. Returns the first delivery that failed, if any.
 * @throws AppError `not_found`
 */
export async function testContact(
  { db }: Pick<Context, "db">,
  test: TestChannel,
  { userId, rule, language }: { userId: number; rule: number; language: Language },
): Promise<Delivery> {
  const stored = (await readContacts(db, [userId])).get(userId)?.rules[rule];
  if (stored === undefined) throw invalid([{ path: "rule", message: "There is no such contact" }]);
  const devices = stored.via === "push" ? (await readDevices(db, [userId])).get(userId) : undefined;
  const ids = devices ?? [stored.channelId ?? 0];
  const owner = stored.via === "channel" ? null : userId;
  const tests = await Promise.all((ids.length > 0 ? ids : [0]).map((id) => test({ id, language, userId: owner })));
  return tests.find(({ status }) => status === "failed") ?? tests[0]!;
}

/** Deletes the contacts of deleted users. */
export async function forgetContacts(db: Database, people: People): Promise<void> {
  const { rows } = await db.raw<{ rows: { userId: number }[] }>(
    "select user_id from contacts union select user_id from channels where user_id is not null",
  );
  if (rows.length === 0) return;
  const users = await people(rows.map(({ userId }) => userId));
  for (const { userId } of rows.filter((row) => users.get(row.userId) === null)) {
    await db.transaction(async (trx) => {
      await trx("contacts").where({ userId }).delete();
      for (const { id } of await ownChannels(trx, userId)) await deleteChannel(trx, id);
    });
  }
}
