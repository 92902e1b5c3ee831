import * as z from "zod";
import { secretMask } from "../../secrets.ts";
import { trimmedLine } from "../../text.ts";
import { channel, requiredText, hostAt, httpUrl, originOf } from "./channel.ts";

/** The mask means the stored one. */
const isBotToken = new RegExp(String.raw`^(?:\d{6,12}:[\w-]{30,50}|${secretMask})$`);

/** A Telegram bot that writes to a chat, or to one topic of a group. */
export const telegram = channel({
  type: "telegram",
  fields: {
    botToken: requiredText()
      .refine((text) => text === "" || isBotToken.test(text), "This is not a valid bot token")
      .meta({ pattern: isBotToken.source }),
    /** A number or a public channel name: `-1001234567890`, `@alerts`. */
    chatId: z.union(
      [z.int(), trimmedLine().regex(/^(?:-?\d{1,20}|@\w{1,64})$/, "This is not a valid chat ID")],
      "This is not a valid chat ID",
    ),
    messageThreadId: z.int().positive().optional(),
    apiBaseUrl: httpUrl().optional(),
  },
  form: [
    { name: "botToken", input: "secret", placeholder: "123456789:AA…" },
    { name: "chatId", input: "text", placeholder: "-1001234567890" },
    { name: "messageThreadId", input: "number", advanced: true },
    { name: "apiBaseUrl", input: "url", placeholder: "https://api.telegram.org", advanced: true },
  ],
  hosts: ({ apiBaseUrl }) => hostAt("apiBaseUrl", apiBaseUrl),
  audience: ({ apiBaseUrl }) => originOf(apiBaseUrl),
});
