import type { SendOutcome } from "../channels/channel.ts";
import { type ChannelEgress, EgressFault } from "../channels/egress.ts";
import { redact } from "../channels/redact.ts";
import type { ClaimedMessage } from "./claim-store.ts";
import type { DeliveryContext } from "./delivering.ts";
import type { ReadyChannel } from "./ready-channel.ts";

/** How long a provider may take. */
export const sendMs = 15_000;
/** A type of channel that does not heed the signal is left behind. */
export const hardStopMs = 1_000;

/** The outcome of a request, and whether the provider may have accepted it without an answer. */
export type SendResult = { outcome: SendOutcome; inDoubt: boolean };

type SendContext = Pick<DeliveryContext, "egress" | "clock" | "log">;

/** Sends a composed message within 16 s, whatever the channel's code and the provider do. */
export async function send(
  { egress, clock, log }: SendContext,
  { type, typeName, config, secrets }: Pick<ReadyChannel, "type" | "typeName" | "config" | "secrets">,
  { key }: Pick<ClaimedMessage, "key">,
  body: string,
): Promise<SendResult> {
  const stop = new AbortController();
  const watched = watch(egress);
  const sending = { body, config, key, atMs: clock.now(), egress: watched.egress, signal: stop.signal };
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number) => new Promise<void>((resolve) => timers.push(setTimeout(resolve, ms)));
  void after(sendMs).then(() => stop.abort(new DOMException("The provider took too long", "TimeoutError")));
  try {
    const outcome = await Promise.race([type.send(sending), after(sendMs + hardStopMs)]);
    if (outcome === undefined) return { outcome: tooLong, inDoubt: true };
    const isUnanswered = outcome.outcome === "retry" && outcome.statusCode === undefined;
    return { outcome, inDoubt: isUnanswered && watched.isInDoubt() };
  } catch (err) {
    // Not the error itself: that of a bad address contains the address.
    log.error({ fault: redact(String(err), secrets), type: typeName }, "sending failed by a fault of Sonde");
    return { outcome: { outcome: "retry", answer: "Sonde failed while it sent this message" }, inDoubt: true };
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

const tooLong: SendOutcome = { outcome: "retry", answer: "The provider took too long" };

/** The egress, and whether a request was sent by it that was never answered. */
function watch(egress: ChannelEgress): { egress: ChannelEgress; isInDoubt(): boolean } {
  let inDoubt = false;
  return {
    isInDoubt: () => inDoubt,
    egress: {
      addressOf: (host) => egress.addressOf(host),
      request: (request) =>
        egress.request(request).catch((fault: unknown) => {
          inDoubt ||= fault instanceof EgressFault && fault.sent;
          throw fault;
        }),
    },
  };
}
