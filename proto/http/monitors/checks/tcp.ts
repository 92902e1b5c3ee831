import { textOf } from "../../text.ts";
import { host, hostAndPort, port } from "./fields.ts";
import { kind } from "./kind.ts";

/**
 * Maximum characters of a text. An expected text is also limited to this many bytes, because no more of the response is
 * read.
 */
const maxText = 4096;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

export const send = textOf({ max: maxText }).optional().meta({
  description: "Text to send unchanged when the connection is open.",
});
export const expect = textOf({ min: 1, max: maxText }, { min: "Please enter text" })
  .refine((text) => text.length > maxText || bytesOf(text) <= maxText, {
    message: "The text is too long (maximum {max} bytes)",
    params: { max: maxText },
  })
  .optional()
  .meta({
    description: "Text expected within the first 4 KiB of the response; at most 4 KiB itself (UTF-8).",
  });

/** A TCP port that accepts connections and returns the expected text, if set. */
export const tcp = kind({
  type: "tcp",
  fields: {
    host,
    port,
    send,
    expect,
  },
  target: (check) => `tcp://${hostAndPort(check.host, check.port)}`,
  hosts: (check) => [{ path: "host", value: check.host }],
  heavy: ["send", "expect"],
});
