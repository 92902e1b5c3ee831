import type { Context } from "./context.ts";

const mailTypes: readonly string[] = ["smtp", "resend"];
/** Prevents out-of-office replies (RFC 3834). */
const headers = [{ name: "Auto-Submitted", value: "auto-generated" }];

/**
 * Queues a mail on an enabled mail channel, preferably a healthy one: a failed message may have had a wrong recipient.
 * Never rejects: returns false if the mail could not be queued.
 */
export async function sendMail(
  { notifications, log }: Pick<Context, "notifications" | "log">,
  to: string,
  key: string,
  { subject, text }: { subject: string; text: string },
): Promise<boolean> {
  try {
    const { channels } = await notifications.listChannels({});
    const usable = channels.filter(({ type, enabled }) => enabled && mailTypes.includes(type));
    const channel = usable.find(({ healthy }) => healthy) ?? usable[0];
    if (channel === undefined) {
      log.warn({ key }, "no mail channel is enabled");
      return false;
    }
    await notifications.sendMail({ channelId: channel.id, to, subject, text, html: "", headers, key });
    return true;
  } catch (err) {
    log.warn({ err, key }, "queueing a mail failed");
    return false;
  }
}
