import { producerOfIncident } from "@sonde/domain/incident-timeline";
import type { Client } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { CallRequest } from "@sonde/proto/rpc/notifications";
import { setTimeout as sleep } from "node:timers/promises";
import { lockToSend } from "../channels/channels.ts";
import { type DeliveryContext, readyChannel } from "../deliveries/delivery-context.ts";
import { ownerIn } from "../on-call/contacts/account-mail.ts";
import { isDrill } from "../on-call/drills/settings.ts";
import { callUrl, endCall, findCall, type PhoneCall, unanswered } from "./calls.ts";
import { isSigned } from "./signature.ts";
import { nothing, question, sentence } from "./twiml.ts";
import { wordsOf } from "./words.ts";

export type AnswerContext = Pick<
  DeliveryContext,
  "db" | "clock" | "log" | "secrets" | "publicUrl" | "channelOf" | "changed"
> & {
  incidents: Pick<Client<typeof incidentsContract>, "acknowledgeIncident">;
  acknowledgeDrill(input: { id: string; by: string }): Promise<unknown>;
  due(): void;
};

/** What a call's StatusCallback says if nobody talked to it (twilio.com/docs/voice/api/call-resource#call-status-values). */
const unansweredBy: Readonly<Record<string, string>> = {
  "no-answer": "Nobody answered the call",
  busy: "The line was busy",
  failed: "The call could not be connected",
  canceled: "The call was canceled",
};

/**
 * Answers a request of Twilio about a call with TwiML. Unknown and ended calls learn that the incident is over.
 * @throws AppError `forbidden` without Twilio's signature
 */
export async function answerCall(ctx: AnswerContext, request: CallRequest): Promise<string> {
  const { reference, step } = request;
  const call = await findCall(ctx, reference);
  if (call === undefined) return sentence("over", "en-US");
  await requireSignature(ctx, call, request);
  const { say, language } = call.speech;
  const form = new Map(request.form);
  if (step === "ended") return ended(ctx, call, reference, form.get("CallStatus") ?? "");
  if (call.isEnded || (!call.isTest && call.incidentIds.length === 0)) return sentence("over", language);
  if (step !== "answer" && form.get("Digits") === "1") return pressed(ctx, call, reference);
  if (step === "last") return sentence("goodbye", language);
  return question(say, callUrl(ctx.publicUrl, reference, step === "answer" ? "key" : "last"), language);
}

async function requireSignature(ctx: AnswerContext, call: PhoneCall, request: CallRequest): Promise<void> {
  const { reference, step, form, signature } = request;
  const stored = await ctx.db.transaction((trx) => lockToSend(trx, call.channelId));
  const channel = stored && readyChannel(ctx, stored);
  const { authToken } = { ...channel?.config } as { authToken?: string };
  const url = callUrl(ctx.publicUrl, reference, step);
  if (authToken === undefined || !isSigned(authToken, { url, form, signature })) {
    throw new AppError("forbidden", "You are not allowed to do this");
  }
}

/** Acknowledges all incidents of the call as its owner, once. */
async function pressed(ctx: AnswerContext, call: PhoneCall, reference: string): Promise<string> {
  const { channelId, channelName, userId, isTest } = call;
  const { language } = call.speech;
  if (!(await endCall(ctx, reference))) return sentence("over", language);
  const by = userId === null ? channelName : ownerIn(channelName);
  const { note } = wordsOf(language);
  const acknowledged = await Promise.allSettled(
    call.incidentIds.map((id) =>
      isDrill(id)
        ? ctx.acknowledgeDrill({ id, by })
        : ctx.incidents.acknowledgeIncident({ id, by, note }, { scope: producerOfIncident(id) }),
    ),
  );
  await ctx
    .db("channels")
    .where({ id: channelId })
    .update({ provenAtMs: Math.round(ctx.clock.now()) });
  const failed = acknowledged.find((result) => result.status === "rejected");
  if (failed === undefined) return sentence(isTest ? "confirmed" : "acknowledged", language);
  const { reason } = failed as PromiseRejectedResult;
  ctx.log.warn({ err: reason instanceof AppError ? reason.key : reason }, "acknowledging by phone failed");
  return sentence("failed", language);
}

/** The callback can arrive before the response to the call is recorded. */
const [waits, waitMs] = [12, 250];

async function ended(ctx: AnswerContext, call: PhoneCall, reference: string, status: string): Promise<string> {
  const answer = unansweredBy[status];
  if (!(await endCall(ctx, reference)) || answer === undefined || !call.isLatest) return nothing;
  for (let round = 0; round < waits; round += 1) {
    const changed = await unanswered(ctx.db, call.messageId, answer, ctx.clock.now());
    ctx.changed(changed);
    if (changed.length > 0) break;
    await sleep(waitMs);
  }
  // Otherwise the sender would not look again before its next poll.
  ctx.due();
  return nothing;
}
