import { trimmedLine } from "../../../text.ts";
import { channel, hostAt, originOf, secretUrl } from "../channel.ts";

/** Base64url of an uncompressed P-256 point (65 bytes), and of 16 bytes (RFC 8291, section 3.1 and 3.2). */
const keyPattern = /^B[\w-]{86}=?$/;
const authPattern = /^[\w-]{22}(?:==)?$/;

/** A browser's push subscription. Its endpoint is secret: anyone who has it can use up the device's quota. */
export const webPush = channel({
  type: "web-push",
  fields: {
    endpoint: secretUrl(),
    p256dh: trimmedLine().regex(keyPattern, "This value is not valid"),
    auth: trimmedLine().regex(authPattern, "This value is not valid"),
  },
  form: [
    { name: "endpoint", input: "secret" },
    { name: "p256dh", input: "text" },
    { name: "auth", input: "secret" },
  ],
  hosts: ({ endpoint }) => hostAt("endpoint", endpoint),
  audience: ({ endpoint }) => originOf(endpoint),
});
