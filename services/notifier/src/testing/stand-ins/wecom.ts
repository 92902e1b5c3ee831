import { type StandInResponse, type ReceivedRequest, type StandInOptions, startHttpStandIn } from "./stand-in.ts";

const key = "693a91f6-7aoc-4bc4-97a0-0ec2sifa5aaa";
const hint =
  "hint: [1700000000123456789012345], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e=";

const refusal = (errcode: number, errmsg: string): StandInResponse => ({
  status: 200,
  body: { errcode, errmsg: `${errmsg}, ${hint}${errcode}` },
});

/** WeCom bot. Errors have status 200 too. */
export const start = (options?: StandInOptions) =>
  startHttpStandIn(
    {
      type: "wecom",
      config: (url) => ({ webhookUrl: `${url}/cgi-bin/webhook/send?key=${key}` }),
      answer(request, accept) {
        const refused = refusalOf(request);
        if (refused !== undefined) return refused;
        accept();
        return { status: 200, body: { errcode: 0, errmsg: "ok" } };
      },
      throttle: refusal(45009, "api freq out of limit"),
      named: { busy: refusal(-1, "system busy"), removed: refusal(93008, "robot is not in the group") },
      limits: [{ key: ({ query }) => query.get("key") ?? "", requests: 20, perMs: 60_000 }],
    },
    options,
  );

function refusalOf({ query, json }: ReceivedRequest): StandInResponse | undefined {
  if (query.get("key") !== key) return refusal(93000, "invalid webhook url");
  const { msgtype, markdown } = (json ?? {}) as { msgtype?: string; markdown?: { content?: unknown } };
  if (msgtype !== "markdown") return refusal(40008, "invalid message type");
  if (typeof markdown?.content !== "string" || markdown.content === "") return refusal(44004, "empty content");
  if (Buffer.byteLength(markdown.content) > 4096) return refusal(40058, "markdown.content exceed max length 4096");
  return undefined;
}
