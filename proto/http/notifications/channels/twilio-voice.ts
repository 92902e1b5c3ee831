import { channel } from "./channel.ts";
import { twilio } from "./twilio.ts";

/** A person's phone, which a channel of type `twilio` calls. */
export const twilioVoice = channel({ ...twilio, type: "twilio-voice" });

/**
 * Whether a Twilio channel can also call: messaging services and names only send SMS, and Twilio signs its requests with
 * the account's token, not with an API key.
 */
export const canCall = ({ from, apiKeySid }: Record<string, unknown>): boolean =>
  typeof from === "string" && from.startsWith("+") && (apiKeySid ?? null) === null;
