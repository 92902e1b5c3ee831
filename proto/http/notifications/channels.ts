import * as z from "zod";
import { allChannelTypeNames, type ChannelTypeName, channelTypeNames, channelTypeOf } from "./channel-types.ts";
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

/** Complete channel input. */
export type ChannelInput = { type: ChannelTypeName; name: string; enabled: boolean; config: Record<string, unknown> };
export const channelInput = union(shared, (type) =>
  clearableFields(channelTypeOf(type).fields),
) as unknown as z.ZodType<
  ChannelInput,
  { type: ChannelTypeName; name: string; enabled?: boolean; config: Record<string, unknown> }
>;

/**
 * Partial channel input: absent fields stay unchanged, `null` clears. The type cannot change; if it is absent, the
 * notifier validates the configuration with the stored one.
 */
export const channelPatch = z.strictObject({
  type: z.enum(allChannelTypeNames).optional(),
  name: name.optional(),
  enabled: z.boolean().optional(),
  config: z
    .record(z.string().max(100), z.unknown())
    .meta({ description: "Configuration fields of the channel's type. Absent fields stay unchanged; null clears one." })
    .optional(),
});
export type ChannelPatch = z.infer<typeof channelPatch>;

export const channelConfig = (type: ChannelTypeName) => z.strictObject(clearableFields(channelTypeOf(type).fields));

export const channelStates = ["works", "failing", "untried"] as const;
export type ChannelState = (typeof channelStates)[number];

/** A channel in responses, with masked secrets. */
export const notificationChannel = z.object({
  id,
  name: z.string(),
  type: z.enum(allChannelTypeNames),
  enabled: z.boolean(),
  config: z
    .record(z.string(), z.unknown())
    .meta({ description: "Configuration fields of the channel's type; secrets are masked." }),
  healthy: z.boolean().meta({
    description: "False if `state` is `failing`.",
  }),
  refusal: z
    .object({ at: instant, answer: z.string() })
    .meta({ description: "The provider's last rejection, in its own words." })
    .optional(),
  state: z.enum(channelStates).optional().meta({
    description:
      "Health since the configuration last changed. `works`: a message was delivered. `failing`: the provider rejected the channel, its last message failed, or a message waits after a failed attempt.",
  }),
  waiting: z
    .object({ messages: z.int(), failure: z.object({ at: instant, answer: z.string() }).optional() })
    .meta({ description: "Waiting messages, and the newest failed attempt among them." })
    .optional(),
  lastDelivery: z.object({ at: instant, status: z.enum(deliveryStatuses) }).optional(),
  lastProvenAt: instant.optional().meta({
    description: "When a drill last reached the channel, or somebody acknowledged an alert through a message of it.",
  }),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type NotificationChannel = z.infer<typeof notificationChannel>;

export const channelAnswer = success({ channel: notificationChannel });
export const channelsAnswer = success({ channels: z.array(notificationChannel) });
export const channelTestAnswer = success({ delivery });
