import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, icons, plainText } from "../../layout.ts";
import { below, byStatus, jsonOf, post, textIn } from "../../outcome.ts";
import { cut, firstThatFits } from "../../text.ts";

/** Apple's push service takes 4,096 bytes with all that is beside the text. */
const maxBytes = 3600;
const maxTitleBytes = 250;
/** The device was erased, or Bark removed from it. */
const deviceIsGone = /device (?:key|token)|BadDeviceToken|Unregistered|DeviceTokenNotForTopic/i;

/**
 * Bark (github.com/Finb/bark-server/blob/master/docs/API_V2.md). 200 and `code` 200 is taken; a key that it does not
 * know is 400, and what Apple refuses 500. It has no replies: a recovery is a separate message.
 */
export const channel = sender({
  type: "bark",
  reader: "people",
  budgets: () => [],
  compose: (message) =>
    firstThatFits([2400, 1200, 500], maxBytes, (max) =>
      JSON.stringify({
        title: cut(`${icons[message.tone]} ${message.title}`, maxTitleBytes, { unit: "bytes" }),
        body: plainText(message, max, "bytes", { link: () => "" }),
        group: "Sonde",
        // Breaks through a focus of iOS.
        level: message.tone === "bad" ? "timeSensitive" : "active",
        url: firstLink(message),
      }),
    ),
  send: (sending) => {
    const { deviceKey, serverUrl } = sending.config;
    return post(sending, below(serverUrl, "/push"), read, { fields: { device_key: deviceKey } });
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { code, message } = jsonOf(answer);
  if (statusCode === 200 && code === 200) return { outcome: "delivered", statusCode, answer: "ok" };
  return byStatus(answer, textIn(message) || answer.text, deviceIsGone.test(textIn(message)));
}
