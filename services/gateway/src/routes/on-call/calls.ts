import { callSteps, maxCallBytes } from "@sonde/proto/http/on-call/escalation";
import * as z from "zod";
import { limitTexts } from "../../middleware/limits.ts";
import { rawRoute } from "../../route.ts";

const missing = "Nothing exists at this address";
const params = {
  reference: { missing, schema: z.string().regex(/^[\w-]{20,64}$/) },
  step: { missing, schema: z.enum(callSteps) },
} as const;

export const callRoutes = [
  rawRoute("POST /api/calls/:reference/:step", "anyone", {
    summary: "Tell Twilio what a phone call says, take its key, and learn how it ended",
    description: `Only Twilio calls this, with a form that \`X-Twilio-Signature\` signs; otherwise 403. Each call has its own address, which works until it ends. ${limitTexts.call}`,
    params,
    limits: { maxBytes: maxCallBytes, deadlineMs: 5_000, isForm: true },
    refusals: ["forbidden", "too_many"],
    media: "text/xml",
    handle: async ({ calls, ctx, services, params: { reference, step }, body, ask }) => {
      await calls(ctx.state.address);
      const form = [...new URLSearchParams(Buffer.from((body ?? []) as Uint8Array).toString())];
      const signature = ctx.get("x-twilio-signature");
      const request = { reference, step: step as z.output<typeof params.step.schema>, form, signature };
      const { twiml } = await services.notifications.answerCall(request, ask);
      ctx.set("Content-Type", "text/xml; charset=utf-8");
      ctx.set("Cache-Control", "no-store");
      ctx.body = twiml;
    },
  }),
];
