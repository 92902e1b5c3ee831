import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { layOut, plainText } from "../../layout.ts";
import {
  below,
  byStatus,
  deliveredAs,
  requestProvider,
  jsonHeaders,
  jsonOf,
  textsIn,
  throttledOutcome,
} from "../../outcome.ts";
import { escapeHtml, htmlLink } from "../../text.ts";

// The limit is 65,536 bytes an event (spec.matrix.org/latest/client-server-api/#size-limits), including both texts and
// what the server adds.
const maxBytes = 6000;
const maxHtmlBytes = 12_000;

/**
 * Matrix (spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid). The transaction
 * id is the message's key, so a retry is deduplicated. A recovery replies to its opening.
 */
export const channel = sender({
  type: "matrix",
  reader: "people",

  // Synapse's default per user: ten requests at once, then one each five seconds.
  budgets: ({ homeserverUrl, accessToken }) => [
    { key: `${new URL(homeserverUrl).origin} ${accessToken}`, requests: 10, perMs: 50_000 },
  ],

  compose: (message, _config, replyTo) =>
    JSON.stringify({
      // Not m.notice, for which the default push rule .m.rule.suppress_notices disables notifications.
      msgtype: "m.text",
      body: plainText(message, maxBytes, "bytes", { title: (title) => title }),
      format: "org.matrix.custom.html",
      formatted_body: layOut(message, {
        max: maxHtmlBytes,
        unit: "bytes",
        escape: (text) => escapeHtml(text).replaceAll("\n", "<br>"),
        title: (title) => `<strong>${title}</strong>`,
        field: (label, value) => `<strong>${label}</strong>: ${value}`,
        entry: (icon, title, text, url) => `${icon} ${htmlLink(title, url)}${text === "" ? "" : `<br>${text}`}`,
        link: htmlLink,
        footer: (footer) => `<em>${footer}</em>`,
      }).replaceAll("\n", "<br>"),
      // Mentions no user, even if a name looks like a mention.
      "m.mentions": {},
      ...(replyTo === undefined ? {} : { "m.relates_to": { "m.in_reply_to": { event_id: replyTo } } }),
    }),

  send: ({ body, config, key, ...sending }) => {
    const room = `/_matrix/client/v3/rooms/${encodeURIComponent(config.roomId)}`;
    return requestProvider(
      sending,
      {
        method: "PUT",
        url: below(config.homeserverUrl, `${room}/send/m.room.message/${encodeURIComponent(key)}`),
        headers: { ...jsonHeaders, authorization: `Bearer ${config.accessToken}` },
        body,
      },
      read,
    );
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { event_id: eventId, errcode, error, retry_after_ms: retryAfter } = jsonOf(answer);
  const delivered = deliveredAs(answer, eventId);
  if (delivered !== undefined) return delivered;
  const reply = textsIn(errcode, error) || answer.text;
  if (errcode === "M_LIMIT_EXCEEDED") {
    return throttledOutcome(answer, reply, Number.isSafeInteger(retryAfter) ? (retryAfter as number) : undefined);
  }
  return byStatus(answer, reply);
}
