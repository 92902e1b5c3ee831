import { createHmac } from "node:crypto";
import * as z from "zod";
import { type StandInResponse, type ReceivedRequest, type StandInOptions, startHttpStandIn } from "./stand-in.ts";

const hook = "/open-apis/bot/v2/hook/3fa85f64-5717-4562-b3fc-2c963f66afa6";
const secret = "feishu-secret";
const keyword = "Sonde";

const refusal = (code: number, msg: string): StandInResponse => ({ status: 200, body: { code, data: {}, msg } });

const plain = z.strictObject({ tag: z.literal("plain_text"), content: z.string() });
const open = z.strictObject({ type: z.literal("open_url"), default_url: z.url() });
/** The subset of card JSON 2.0 that Sonde uses. Unknown properties are errors, as in Feishu. */
const card = z.strictObject({
  schema: z.literal("2.0"),
  header: z.strictObject({ title: plain, template: z.enum(["red", "green", "blue"]) }),
  body: z.strictObject({
    elements: z.array(
      z.discriminatedUnion("tag", [
        z.strictObject({ tag: z.literal("markdown"), content: z.string().min(1) }),
        z.strictObject({
          tag: z.literal("button"),
          text: plain,
          type: z.enum(["primary", "default"]),
          behaviors: z.array(open),
        }),
      ]),
    ),
  }),
});

/** Feishu bot that requires signatures and the word `Sonde`. */
export const start = (options?: StandInOptions) =>
  startHttpStandIn(
    {
      type: "feishu",
      config: (url) => ({ webhookUrl: `${url}${hook}`, secret }),
      answer(request, accept) {
        const refused = refusalOf(request);
        if (refused !== undefined) return refused;
        accept();
        return { status: 200, body: { StatusCode: 0, StatusMessage: "success", code: 0, data: {}, msg: "success" } };
      },
      throttle: {
        status: 429,
        headers: { "x-ogw-ratelimit-limit": "100", "x-ogw-ratelimit-reset": "12" },
        body: { code: 99991400, msg: "request trigger frequency limit" },
      },
      named: {
        overload: refusal(11232, "frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]"),
        address: refusal(19022, "Ip Not Allowed"),
        old: { status: 200, body: { Extra: null, StatusCode: 0, StatusMessage: "success" } },
        oldRefusal: { status: 200, body: { StatusCode: 19021, StatusMessage: "sign match fail" } },
      },
      limits: [
        { key: ({ path }) => path, requests: 100, perMs: 60_000 },
        { key: ({ path }) => `${path} second`, requests: 5, perMs: 1000 },
      ],
    },
    options,
  );

function refusalOf({ path, json, text }: ReceivedRequest): StandInResponse | undefined {
  if (path !== hook) return refusal(19001, "param invalid: incoming webhook access token invalid");
  const body = (json ?? {}) as { timestamp?: unknown; sign?: unknown; msg_type?: unknown; card?: unknown };
  const { timestamp, sign } = body;
  if (typeof timestamp !== "string") return refusal(19021, "sign match fail or timestamp is not within one hour");
  const expected = createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64");
  const isOld = Math.abs(Date.now() / 1000 - Number(timestamp)) > 3600;
  if (sign !== expected || isOld) return refusal(19021, "sign match fail or timestamp is not within one hour");
  if (Buffer.byteLength(text) > 20 * 1024 || body.msg_type !== "interactive") return refusal(9499, "Bad Request");
  const parsed = card.safeParse(body.card);
  if (!parsed.success) return refusal(11246, `parse card json err: ${parsed.error.issues[0]?.message}`);
  const shown = parsed.data.body.elements.flatMap((element) => (element.tag === "markdown" ? [element.content] : []));
  if (!shown.join(" ").includes(keyword)) return refusal(19024, "Key Words Not Found");
  return undefined;
}
