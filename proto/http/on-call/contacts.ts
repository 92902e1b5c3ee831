import * as z from "zod";
import { id, instant, rowId, success } from "../envelope.ts";
import { notificationLanguages, timeOfDay, timeZone } from "../notifications/settings.ts";

export const maxContactRules = 20;
export const maxSubscriptions = 10;
export const contactWays = ["push", "mail", "telegram", "ntfy", "sms", "voice", "webhook", "channel"] as const;
export type ContactWay = (typeof contactWays)[number];

const rule = z.strictObject({
  urgency: z.enum(["high", "low"]),
  after: z.int().min(0).max(1_440).meta({ description: "Minutes after the step notifies this person." }),
  via: z.enum(contactWays),
  to: z.string().trim().min(1).max(500).optional().meta({
    description:
      "Address: mail, chat id, topic URL, phone number (E.164) or URL. Absent for `push`, `channel` and one's own mail address.",
  }),
  channel: rowId.optional().meta({
    description:
      "For `channel`, the channel to notify; for `mail`, `telegram`, `sms` and `voice`, the channel that sends or calls.",
  }),
});
/** A browser's push subscription, as `PushSubscription.toJSON()` gives it (RFC 8030, RFC 8291). */
const subscription = {
  endpoint: z.url().max(1_000),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
};
const newSubscription = z.strictObject({ ...subscription, name: z.string().trim().min(1).max(100) });
/** Sent by a service worker, which has no session. */
export const renewDeviceInput = z.strictObject({
  ...subscription,
  old: z.url().max(1_000).meta({ description: "The endpoint that the browser replaced, which only it knows." }),
});
const language = z
  .enum(notificationLanguages)
  .optional()
  .meta({ description: "Language of messages to this person. Absent: that of the settings." });
const handoff = z.boolean().optional().meta({
  description: "Whether this person gets a message when their shift begins. Absent: yes.",
});
const keptSubscription = z.strictObject({ id: rowId });
export const contactsInput = z.strictObject({
  timeZone,
  language,
  night: z.strictObject({ start: timeOfDay, end: timeOfDay }).nullable().default(null),
  handoff,
  rules: z.array(rule).max(maxContactRules),
  subscriptions: z
    .array(z.union([keptSubscription, newSubscription]))
    .max(maxSubscriptions)
    .optional()
    .meta({ description: "Devices to keep or add; the others are removed. Absent keeps all." }),
});
export type ContactsInput = z.infer<typeof contactsInput>;

const proof = { lastProvenAt: instant.optional(), problem: z.string().optional() };
export const contactsAnswer = success({
  contacts: z.object({
    timeZone: z.string(),
    language,
    handoff,
    night: z.object({ start: z.string(), end: z.string() }).nullable(),
    rules: z.array(
      z.object({
        urgency: rule.shape.urgency,
        after: z.int(),
        via: z.enum(contactWays),
        to: z.string().optional().meta({ description: "Masked if it is a secret, such as the URL of a webhook." }),
        channel: id.optional(),
        ...proof,
      }),
    ),
    subscriptions: z.array(
      z.object({
        id,
        name: z.string(),
        digest: z
          .string()
          .meta({ description: "SHA-256 of the endpoint in base64url, by which a browser finds itself." }),
        ...proof,
      }),
    ),
  }),
  pushKey: z.string().optional().meta({
    description: "The VAPID public key (RFC 8292) that a browser subscribes with; absent if it is not readable.",
  }),
});
export type ContactsAnswer = z.infer<typeof contactsAnswer>;

export const contactTestInput = z.strictObject({
  rule: z
    .int()
    .min(0)
    .max(maxContactRules - 1)
    .meta({ description: "Index of the rule to test now." }),
});
