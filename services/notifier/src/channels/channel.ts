import type { ChannelConfig, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { ChannelMessage } from "../messages/message.ts";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import type { AddressedMail } from "./mail/mail.ts";

/**
 * The outcome of one request to a provider. `answer` is the provider's own text, or the fault on the way; stored, it
 * contains no secret and at most 200 characters.
 */
export type SendOutcome = { statusCode?: number; answer: string } & (
  | {
      outcome: "delivered";
      /** The provider's id of the message, if a later one can reply to it. */
      reference?: string;
    }
  /**
   * It may succeed later; after `afterMs` at the earliest, if the provider set it. `throttled`: it counts our requests.
   */
  | { outcome: "retry"; afterMs?: number; throttled?: boolean }
  /** This message will never be taken; others may be. */
  | { outcome: "refused" }
  /**
   * The channel itself is refused. `dead`: retrying would only harm. `recipients`: they are the cause; if they are not
   * the channel's own, this message alone is refused.
   */
  | { outcome: "broken"; dead?: boolean; recipients?: boolean }
);

/** A maximum of requests within a span of time, counted by the provider under one key. */
export type Budget = {
  /** The counted account, robot or chat. It may contain a secret, so it is stored hashed. */
  key: string;
  requests: number;
  perMs: number;
};

/** Sent unchanged at each attempt: text, without secrets. */
export type Body = string;

export type SendInput<Config> = {
  body: Body;
  config: Config;
  /** Of the message. */
  key: string;
  /** Epoch ms of this attempt. */
  atMs: number;
  egress: OutgoingRequests;
  signal: AbortSignal;
};

/** How one type of channel speaks to its provider. Its configuration is in proto/http/notifications/channels. */
export type Channel<Type extends ChannelTypeName> = {
  type: Type;
  /**
   * `people` read messages: alerts of a few seconds are combined. A `machine` keeps incidents of its own: each alert is
   * a message, quiet hours do not apply, and each incident opened there is closed there, even one that a user ended.
   */
  reader: "people" | "machine";
  /** All must have room. */
  budgets(config: ChannelConfig<Type>): readonly Budget[];
  /**
   * The message in the provider's form, within its limits.
   * @param replyTo the provider's id of the message about the opening
   * @param answers the subject of that message, of types that send mails
   */
  compose(message: ChannelMessage, config: ChannelConfig<Type>, replyTo: string | undefined, answers?: string): Body;
  /** The same for a mail with another service's text and recipient; of types that send mail alone. */
  composeMail?(mail: AddressedMail, config: ChannelConfig<Type>): Body;
  /** Sends it and reads the answer. Rejects only for faults of Sonde itself: what a provider does is an outcome. */
  send(sending: SendInput<ChannelConfig<Type>>): Promise<SendOutcome>;
};

export type AnyChannel = Channel<ChannelTypeName>;

/** Declares how a type of channel sends; `types/<type>.ts` exports it as `channel`. */
export const sender = <Type extends ChannelTypeName>(channel: Channel<Type>): Channel<Type> => channel;
