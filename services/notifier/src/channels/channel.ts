import type { ChannelConfig, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { CallStep } from "@sonde/proto/http/on-call/escalation";
import type { ChannelMessage } from "../messages/message.ts";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import type { AddressedMail } from "./mail/mail.ts";
import type { PushIdentity } from "./push/vapid.ts";

/** `answer`: the provider's text or the connection error; stored without secrets, at most 200 characters. */
export type SendOutcome = { statusCode?: number; answer: string } & (
  | {
      outcome: "delivered";
      /** The provider's id of the message, if later messages can reply to it. */
      reference?: string;
    }
  /** May succeed later, not before `afterMs` if given. `throttled`: the provider's rate limit was exceeded. */
  | { outcome: "retry"; afterMs?: number; throttled?: boolean }
  /** The provider will never accept this message, but may accept others. */
  | { outcome: "refused" }
  /** The channel is rejected. `dead`: never retry. `recipients`: if not the channel's own, only this message fails. */
  | { outcome: "broken"; dead?: boolean; recipients?: boolean }
);

/** Maximum number of requests in a window, counted by the provider under one key. */
export type Budget = {
  /** The account, bot or chat that the provider counts. May contain a secret, so it is stored hashed. */
  key: string;
  requests: number;
  perMs: number;
};

/** Returns the addresses of a new call of a message, or why its phone must not ring. */
export type StartCall = (key: string) => Promise<((step: CallStep) => string) | string>;

/** Contains no secrets; every attempt sends it unchanged. */
export type Body = string;

export type SendInput<Config> = {
  body: Body;
  config: Config;
  key: string;
  /** Time of this attempt, epoch milliseconds. */
  atMs: number;
  egress: OutgoingRequests;
  /** For `web-push`. */
  pushIdentity?(): Promise<PushIdentity>;
  /** For `twilio-voice`. */
  startCall?: StartCall;
  signal: AbortSignal;
};

/** How one type of channel sends. Its configuration schema is in proto/http/notifications/channels. */
export type Channel<Type extends ChannelTypeName> = {
  type: Type;
  /**
   * `people` read messages: alerts within a few seconds are combined. A `machine` keeps its own incident state: each
   * alert is a separate message, quiet hours do not apply, and each incident opened there is closed there, even one
   * that a user ended.
   */
  reader: "people" | "machine";
  budgets(config: ChannelConfig<Type>): readonly Budget[];
  /**
   * Renders the message in the provider's format and within its limits.
   * @param replyTo the provider's id of the message about the opening
   * @param answers for mail types, the subject of that message
   */
  compose(message: ChannelMessage, config: ChannelConfig<Type>, replyTo: string | undefined, answers?: string): Body;
  composeMail?(mail: AddressedMail, config: ChannelConfig<Type>): Body;
  /** Sends the body and reads the response. Rejects only on bugs in Sonde; provider failures are outcomes. */
  send(sending: SendInput<ChannelConfig<Type>>): Promise<SendOutcome>;
};

export type AnyChannel = Channel<ChannelTypeName>;

export const sender = <Type extends ChannelTypeName>(channel: Channel<Type>): Channel<Type> => channel;
