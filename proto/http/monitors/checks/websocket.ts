import { minDaysLeft, verifyTls } from "./fields.ts";
import { headers, headersAnswer, secretHeadersOf } from "./http.ts";
import { kind } from "./kind.ts";
import { expect, send } from "./tcp.ts";
import { hostOfUrl, originOfUrl } from "./url.ts";
import { trimmedLine } from "../../text.ts";

const socketUrl = trimmedLine()
  .min(1, "URL is required")
  .max(2048, "The address is too long (at most {max} characters)")
  .superRefine((text, ctx) => {
    if (text === "") return;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^wss?:\/\//i.test(text) || url.hostname === "") {
      ctx.addIssue({ code: "custom", message: "Please enter a full ws or wss address" });
    } else if (url.username !== "" || url.password !== "") {
      ctx.addIssue({ code: "custom", message: "The address cannot contain a username or password" });
    } else if (url.hash !== "") {
      ctx.addIssue({ code: "custom", message: "A WebSocket address cannot contain a # fragment" });
    }
  })
  .meta({
    format: "uri",
    pattern: String.raw`^[Ww][Ss][Ss]?://[^#\u0000-\u001f\u007f-\u009f]*$`,
    description: "ws or wss URL without user name and password.",
  });

/** A server that accepts a WebSocket and sends the expected text, if set. */
export const websocket = kind({
  type: "websocket",
  fields: { url: socketUrl, headers, send, expect, verifyTls, minDaysLeft: minDaysLeft.optional() },
  answers: { headers: headersAnswer },
  target: ({ url }) => url,
  hosts: (check) => hostOfUrl(check),
  secrets: secretHeadersOf,
  audience: originOfUrl,
  heavy: ["headers", "send", "expect"],
});
