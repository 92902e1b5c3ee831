import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";
import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/alert.ts";
import type { AnyChannel } from "../channels/channel.ts";
import type { ChannelEgress } from "../channels/egress.ts";
import type { Context } from "../context.ts";
import type { Links, Rendering } from "../messages/render.ts";
import type { ChannelMessage } from "../messages/message.ts";

/** What deliveries need, beside the context of verbs; tests bring their own. */
export type DeliveryContext = Omit<Context, "due" | "committed"> & {
  channelOf(type: ChannelTypeName): AnyChannel;
  egress: ChannelEgress;
  render(rendering: Rendering): ChannelMessage;
  /** What messages of a channel link to, by incident. */
  linksOf(channelId: number): (incidentId: string) => Links;
  /** The incident of a test message. */
  sample(language: Language, nowMs: number): AlertFacts;
  /** Publishes deliveries that changed, best effort. */
  changed(deliveries: readonly ChangedDelivery[]): void;
};

/** A delivery that has another state, or was tried once more. */
export type ChangedDelivery = {
  id: number;
  channelId: number;
  status: DeliveryStatus;
  /** Null: of a test. */
  incidentId: string | null;
  createdAtMs: number;
};
