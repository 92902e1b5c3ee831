import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, markdownText } from "../../layout.ts";
import { below, byCode, byStatus, jsonOf, objectIn, post, textIn } from "../../outcome.ts";
import { cut } from "../../text.ts";

const maxTitle = 100;
const maxText = 4000;

const codes = {
  tooFast: new Set<number>(),
  deleted: new Set<number>(),
  refusing: new Set([80403]),
  thisMessage: new Set([80501]),
};

/** github.com/easychen/pushdeer. Errors have status 200: `code` is not 0, or without a device `result` is empty. */
export const channel = sender({
  type: "pushdeer",
  reader: "people",
  budgets: () => [],
  compose: (message) =>
    JSON.stringify({
      text: `${icons[message.tone]} ${cut(message.title, maxTitle)}`,
      // PushDeer's Markdown only breaks lines at an empty one.
      desp: markdownText(message, maxText, { title: () => "" }).replaceAll("\n", "\n\n"),
      type: "markdown",
    }),
  send: (sending) => {
    const { pushKey, serverUrl } = sending.config;
    return post(sending, below(serverUrl, "/message/push"), read, { fields: { pushkey: pushKey } });
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { code, error, content } = jsonOf(answer);
  if (statusCode !== 200 || typeof code !== "number") return byStatus(answer);
  if (code !== 0) return byCode(answer, code, `${code} ${textIn(error)}`, codes, 0);
  const { result } = objectIn(content);
  if (!Array.isArray(result)) return byStatus(answer);
  if (result.length === 0) return { outcome: "broken", statusCode, answer: "No device has this key" };
  const isTaken = result.some((one) => jsonOf({ ...answer, text: textIn(one) })["success"] === "ok");
  return isTaken ? { outcome: "delivered", statusCode, answer: "ok" } : byStatus(answer);
}
