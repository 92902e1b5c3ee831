import { secretContexts } from "@sonde/kit/secrets";
import { timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";

type TapContext = Pick<Context, "secrets" | "clock">;

const dayMs = 86_400_000;
const validDays = 7;
/** 132 bits. The whole fits into 64 bytes with the name of an action before it, which is Telegram's limit. */
const signatureLength = 22;

const sign = ({ secrets }: TapContext, plain: string): string =>
  secrets.token(Buffer.from(`tap ${plain}`), secretContexts.acknowledgeLink).slice(0, signatureLength);

/** Signs an incident and a channel for a button of a chat, for seven days. */
export function tapOf(ctx: TapContext, channelId: number, incidentId: string): string {
  const lastDay = Math.floor(ctx.clock.now() / dayMs) + validDays;
  const plain = `${incidentId}.${channelId.toString(36)}.${lastDay.toString(36)}`;
  return `${plain}.${sign(ctx, plain)}`;
}

/** Returns `null` for a forged or expired text. */
export function readTap(ctx: TapContext, text: string): { incidentId: string; channelId: number } | null {
  const [incidentId = "", channel = "", day = "", signature = ""] = text.split(".");
  const expected = Buffer.from(sign(ctx, `${incidentId}.${channel}.${day}`));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return parseInt(day, 36) * dayMs < ctx.clock.now() - dayMs ? null : { incidentId, channelId: parseInt(channel, 36) };
}
