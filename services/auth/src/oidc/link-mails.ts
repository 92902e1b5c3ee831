import { type Message, translate } from "@sonde/proto/http/messages";
import type { Context } from "../context.ts";
import { sendMail } from "../mails.ts";
import type { LinkedAccount } from "./accounts.ts";
import type { OpenProvider } from "./store.ts";

/** Never rejects: the sign-in must not depend on mail. */
export async function sendLinkNotice(
  ctx: Context,
  { name }: Pick<OpenProvider, "name">,
  { before: { username, role: former }, role, mails }: LinkedAccount,
): Promise<void> {
  const inBoth = (message: Message, params: Record<string, string>) =>
    [translate(message, "en-US", params), translate(message, "zh-CN", params)] as const;
  const changed = former === role ? [] : [inBoth("Its role changed from {former} to {role}.", { former, role })];
  const parts = [
    inBoth("You can now sign in to the Sonde account {username} with {provider}.", { username, provider: name }),
    ...changed,
    inBoth(
      "All other sessions, API keys and linked providers of this account were removed. If this was not you, contact an administrator.",
      {},
    ),
  ];
  const subject = inBoth("Sonde: your account is linked to {provider}", { provider: name }).join(" / ");
  const text = [0, 1].map((at) => parts.map((part) => part[at]).join("\n")).join("\n\n");
  for (const to of mails) await sendMail(ctx, to, `linked-${crypto.randomUUID()}`, { subject, text });
}
