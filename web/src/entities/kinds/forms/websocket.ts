import { certificate, exchange, headers } from "../common.ts";
import { type CheckFields, kindForm } from "../kind-form.ts";

const mayBeEncrypted = (values: CheckFields) => !/^\s*ws:/i.test(String(values["url"]));

export const form = kindForm<"websocket">({
  name: { en: "WebSocket", zh: "WebSocket" },
  purpose: { en: "A WebSocket server accepts connections and responds", zh: "检查 WebSocket 能否连接并响应" },
  group: "web",
  fields: {
    url: {
      label: { en: "URL", zh: "URL" },
      input: "url",
      place: "address",
      placeholder: "wss://live.example.com/feed",
      summary: null,
    },
    send: {
      ...exchange.send,
      hint: {
        en: "Optional. Sent as a text message once the connection is open.",
        zh: "选填。连接打开后以文本消息发送。",
      },
    },
    expect: {
      ...exchange.expect,
      hint: {
        en: "Optional. Text that must appear in the first 4 KiB of the messages.",
        zh: "选填。消息的前 4 KiB 中必须出现的文本。",
      },
    },
    headers,
    minDaysLeft: { ...certificate.minDaysLeft, place: "request", shownIf: mayBeEncrypted },
    verifyTls: { ...certificate.verifyTls, place: "request", shownIf: mayBeEncrypted },
  },
});
