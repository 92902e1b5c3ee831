import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { firstLink, icons, plainText } from "../../layout.ts";
import { below, byStatus, jsonOf, post, textIn } from "../../outcome.ts";
import { cut, firstThatFits } from "../../text.ts";

/** Apple limits a push notification to 4,096 bytes, including everything around the text. */
const maxBytes = 3600;
const maxTitleBytes = 250;
/** The device was reset, or Bark was uninstalled. */
const deviceIsGone = /device (?:key|token)|BadDeviceToken|Unregistered|DeviceTokenNotForTopic/i;

/**
 * Bark (github.com/Finb/bark-server/blob/master/docs/API_V2.md). Accepted: status 200 and `code` 200. An unknown key
 * gives 400, a rejection by Apple 500. Without replies, a recovery is a separate message.
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
        // Breaks through iOS Focus modes.
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
