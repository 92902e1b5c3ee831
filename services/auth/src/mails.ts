import type { Context } from "./context.ts";

const mailTypes: readonly string[] = ["smtp", "resend"];
/** Prevents out-of-office replies (RFC 3834). */
const headers = [{ name: "Auto-Submitted", value: "auto-generated" }];

/** Queues a mail on the first enabled mail channel. Never rejects: returns false if the mail could not be queued. */
export async function sendMail(
  { notifications, log }: Pick<Context, "notifications" | "log">,
  to: string,
  key: string,
  { subject, text }: { subject: string; text: string },
): Promise<boolean> {
  try {
    const { channels } = await notifications.listChannels({});
    const channel = channels.find(({ type, enabled, healthy }) => enabled && healthy && mailTypes.includes(type));
    if (channel === undefined) {
      log.warn({ key }, "no mail channel to send a mail");
      return false;
    }
    await notifications.sendMail({ channelId: channel.id, to, subject, text, html: "", headers, key });
    return true;
  } catch (err) {
    log.warn({ err, key }, "queueing a mail failed");
    return false;
  }
}
