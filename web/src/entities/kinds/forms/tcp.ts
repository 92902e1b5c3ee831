import { exchange, server } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"tcp">({
  name: { en: "TCP", zh: "TCP" },
  purpose: { en: "A port accepts connections", zh: "检查端口是否接受连接" },
  group: "network",
  fields: {
    ...server("db.example.com", "5432"),
    send: {
      ...exchange.send,
      input: "crlf",
      hint: {
        en: "Optional. Line breaks are sent as CRLF; most protocols need one at the end.",
        zh: "选填。换行以 CRLF 发送；多数协议要求以换行结尾。",
      },
    },
    expect: {
      ...exchange.expect,
      hint: {
        en: "Optional. Text that must appear in the first 4 KiB of the response.",
        zh: "选填。响应的前 4 KiB 中必须出现的文本。",
      },
    },
  },
});
