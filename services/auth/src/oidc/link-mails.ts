import { type Message, translate } from "@sonde/proto/http/messages";
import type { Context } from "../context.ts";
import type { LinkedAccount } from "./accounts.ts";
import type { OpenProvider } from "./store.ts";

const mailTypes: readonly string[] = ["smtp", "resend"];
/** Prevents out-of-office replies (RFC 3834). */
const headers = [{ name: "Auto-Submitted", value: "auto-generated" }];

/** Uses the first enabled mail channel. Never rejects: the sign-in must not depend on mail. */
export async function sendLinkNotice(
  ctx: Context,
  { name }: Pick<OpenProvider, "name">,
  { before: { id, username, role: former }, role, mails }: LinkedAccount,
): Promise<void> {
  const { notifications, log } = ctx;
  try {
    const { channels } = await notifications.listChannels({});
    const channel = channels.find(({ type, enabled, healthy }) => enabled && healthy && mailTypes.includes(type));
    if (channel === undefined)
      return log.warn({ userId: id }, "no mail channel to send the notice of a linked account");
    const inBoth = (message: Message, params: Record<string, string>) =>
      [translate(message, "en-US", params), translate(message, "zh-CN", params)] as const;
    const changed = former === role ? [] : [inBoth("Its role changed from {former} to {role}.", { former, role })];
    const parts = [
      inBoth("You can now sign in to the Sonde account {username} with {provider}.", {
        username,
        provider: name,
      }),
      ...changed,
      inBoth(
        "All other sessions, API keys and linked providers of this account were removed. If this was not you, contact an administrator.",
        {},
      ),
    ];
    const subject = inBoth("Sonde: your account is linked to {provider}", { provider: name }).join(" / ");
    const text = [0, 1].map((at) => parts.map((part) => part[at]).join("\n")).join("\n\n");
    for (const to of mails) {
      const mail = {
        channelId: channel.id,
        to,
        subject,
        text,
        html: "",
        headers,
        key: `linked-${crypto.randomUUID()}`,
      };
      const { outcome } = await notifications.sendMail(mail);
      if (outcome !== "delivered") log.warn({ userId: id, outcome }, "notice of a linked account not delivered");
    }
  } catch (err) {
    log.warn({ err, userId: id }, "sending the notice of a linked account failed");
  }
}
