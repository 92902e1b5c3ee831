import { createHmac } from "node:crypto";
import { type StandInResponse, type ReceivedRequest, type StandInOptions, startHttpStandIn } from "./stand-in.ts";

const token = "0f1e2d3c4b5a";
const secret = "SEC0123456789";
const keyword = "Sonde";
const hourMs = 3_600_000;

const refusal = (errcode: number, errmsg: string): StandInResponse => ({ status: 200, body: { errcode, errmsg } });
const tooFast = refusal(130101, "send too fast, exceed 20 times per minute");

/** DingTalk bot that requires signatures and the word `Sonde`. Errors have status 200 too. */
export const start = (options?: StandInOptions) => {
  const isTooFast = silence();
  return startHttpStandIn(
    {
      type: "dingtalk",
      config: (url) => ({ webhookUrl: `${url}/robot/send?access_token=${token}`, secret }),
      answer(request, accept) {
        if (options?.enforceLimits === true && isTooFast()) return tooFast;
        const refused = refusalOf(request);
        if (refused !== undefined) return refused;
        accept();
        return { status: 200, body: { errcode: 0, errmsg: "ok" } };
      },
      throttle: tooFast,
      named: {
        punished: { status: 200, body: { status: 1111, wait: 5, punish: "deny" } },
        busy: refusal(-1, "系统繁忙"),
        gone: refusal(300001, "token is not exist"),
        dismissed: refusal(400013, "群已被解散"),
        stopped: refusal(400102, "机器人已停用"),
        unsafe: refusal(430101, "description:不安全的链接"),
        ip: refusal(310000, "ip 203.0.113.7 not in whitelist"),
        unknown: refusal(999999, "something new"),
      },
    },
    options,
  );
};

function refusalOf({ query, json, text }: ReceivedRequest): StandInResponse | undefined {
  if (query.get("access_token") !== token) return refusal(300001, "token is not exist");
  const timestamp = query.get("timestamp") ?? "";
  const expected = createHmac("sha256", secret).update(`${timestamp}\n${secret}`, "utf8").digest("base64");
  if (query.get("sign") !== expected) return refusal(310000, "sign not match");
  if (Math.abs(Date.now() - Number(timestamp)) > hourMs) return refusal(310000, "invalid timestamp");
  const { msgtype, ...rest } = (json ?? {}) as { msgtype?: string; markdown?: { title?: string; text?: string } };
  if (msgtype !== "markdown" || rest.markdown === undefined) return refusal(40035, "缺少参数 json");
  const { title = "", text: content = "" } = rest.markdown;
  if (title === "" || content === "") return refusal(40035, "缺少参数 markdown");
  if (Buffer.byteLength(text) > 20_000) return refusal(460101, "message too long, exceed 20000 bytes");
  if (!content.includes(keyword)) return refusal(310000, "keywords not in content");
  return undefined;
}

/** More than twenty messages a minute block a bot for ten minutes, and each further request restarts them. */
function silence(): () => boolean {
  let times: number[] = [];
  let untilMs = 0;
  return () => {
    const now = performance.now();
    times = [...times.filter((time) => time > now - 60_000), now];
    if (times.length > 20 || now < untilMs) untilMs = now + 600_000;
    return now < untilMs;
  };
}
