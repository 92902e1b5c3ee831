import { characters } from "@sonde/proto/http/text";
import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const sendKey = "SCT123456TAbCdEfGhIjKlMnOpQrStUvW";
const refusal = (status: number, code: number, message: string) => ({
  status,
  body: { message, code, info: message, args: [null], scode: 461 },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "serverchan",
      config: (apiBaseUrl) => ({ sendKey, apiBaseUrl }),
      answer({ method, path, json }, accept) {
        if (method !== "POST" || path !== `/${sendKey}.send`) return named.wrong_key;
        const { title = "", desp = "" } = (json ?? {}) as Record<string, unknown>;
        if (typeof title !== "string" || title === "") return refusal(400, 20001, "[INPUT]标题不能为空");
        if (characters(title) > 32) return refusal(400, 20001, "[INPUT]标题过长");
        if (Buffer.byteLength(String(desp)) > 32 * 1024) return refusal(400, 20001, "[INPUT]内容过长");
        accept();
        const data = { pushid: String(++lastId), readkey: "SCTabc", error: "SUCCESS", errno: 0 };
        return { status: 200, body: { code: 0, message: "", data } };
      },
      throttle: refusal(400, 40001, "[AUTH]超过当天的发送次数限制[5]，请明天再来"),
      named,
    },
    options,
  );
}

const named = {
  wrong_key: refusal(400, 40001, "[AUTH]错误的Key"),
  invalid: refusal(400, 20001, "[INPUT]标题不能为空"),
  refused_in_200: refusal(200, 20001, "[INPUT]标题不能为空"),
  failing: refusal(500, 50001, "[SYSTEM]系统繁忙"),
};
