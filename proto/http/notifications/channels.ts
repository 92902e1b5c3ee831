import * as z from "zod";
import { type ChannelTypeName, channelTypeNames, channelTypeOf } from "./channel-types.ts";
import { clearableFields } from "../monitors/checks/kind.ts";
import { managedBy } from "../config/managed.ts";
import { delivery, deliveryStatuses } from "./deliveries.ts";
import { id, instant, success } from "../envelope.ts";
import { nameOf } from "../text.ts";

const name = nameOf(100);
const shared = { name, enabled: z.boolean().default(true) };

type FieldsOf = (type: ChannelTypeName) => z.ZodRawShape;
const union = (common: z.ZodRawShape, config: FieldsOf, configIsOptional = false) => {
  const [first, ...others] = channelTypeNames.map((type) => {
    const schema = z.strictObject(config(type));
    return z.strictObject({ type: z.literal(type), ...common, config: configIsOptional ? schema.optional() : schema });
  });
  return z.discriminatedUnion("type", [first as z.ZodObject, ...(others as z.ZodObject[])]);
};

/** A whole channel. */
export type ChannelInput = { type: ChannelTypeName; name: string; enabled: boolean; config: Record<string, unknown> };
export const channelInput = union(shared, (type) =>
  clearableFields(channelTypeOf(type).fields),
) as unknown as z.ZodType<
  ChannelInput,
  { type: ChannelTypeName; name: string; enabled?: boolean; config: Record<string, unknown> }
>;

/**
 * Changes of a channel: what is absent stays, null clears. The type is fixed once created; where it is not sent, the
 * notifier checks the configuration by the one that the channel has.
 */
export const channelPatch = z.strictObject({
  type: z.enum(channelTypeNames).optional(),
  name: name.optional(),
  enabled: z.boolean().optional(),
  config: z
    .record(z.string().max(100), z.unknown())
    .meta({ description: "Fields of its type's configuration; those that are absent stay as they are, null clears." })
    .optional(),
});
export type ChannelPatch = z.infer<typeof channelPatch>;

/** The configuration of one type. */
export const channelConfig = (type: ChannelTypeName) => z.strictObject(clearableFields(channelTypeOf(type).fields));

export const channelStates = ["works", "failing", "untried"] as const;
export type ChannelState = (typeof channelStates)[number];

/** A channel as it answers: secrets masked. */
export const notificationChannel = z.object({
  id,
  name: z.string(),
  type: z.enum(channelTypeNames),
  enabled: z.boolean(),
  config: z
    .record(z.string(), z.unknown())
    .meta({ description: "The fields of its type, as they are sent; secrets are masked." }),
  healthy: z.boolean().meta({
    description:
      "False once the provider refused the channel itself, until a delivery succeeds or its configuration changes.",
  }),
  refusal: z
    .object({ at: instant, answer: z.string() })
    .meta({ description: "The provider's last refusal, in its own words." })
    .optional(),
  state: z.enum(channelStates).optional().meta({
    description:
      "How it does by its present configuration. `works`: only after a delivery. `failing`: it was refused, its last message failed, or one waits after a failed attempt.",
  }),
  waiting: z
    .object({ messages: z.int(), failure: z.object({ at: instant, answer: z.string() }).optional() })
    .meta({ description: "Messages that wait, and the newest failed attempt of one of them." })
    .optional(),
  lastDelivery: z.object({ at: instant, status: z.enum(deliveryStatuses) }).optional(),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type NotificationChannel = z.infer<typeof notificationChannel>;

export const channelAnswer = success({ channel: notificationChannel });
export const channelsAnswer = success({ channels: z.array(notificationChannel) });
export const channelTestAnswer = success({ delivery });
