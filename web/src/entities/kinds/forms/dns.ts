import { host } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"dns">({
  name: { en: "DNS", zh: "DNS" },
  purpose: { en: "A name resolves to the expected records", zh: "检查域名是否解析到正确的记录" },
  group: "network",
  proposeName: (values) => {
    const name = String(values["host"]).trim();
    return name === "" ? "" : `${name} ${String(values["recordType"])}`;
  },
  fields: {
    host: host("example.com", "wide"),
    recordType: { label: { en: "Record type", zh: "记录类型" }, input: "choice", place: "address", width: "narrow" },
    expect: {
      label: { en: "Expected values", zh: "期望值" },
      hint: {
        en: "Optional, one per line, as in a zone file: 192.0.2.1 or 10 mail.example.com. The response must contain them all.",
        zh: "选填，每行一个，格式同 DNS zone 文件：192.0.2.1 或 10 mail.example.com。响应中必须包含全部期望值。",
      },
      input: "list",
      rows: 3,
      none: { en: "Any answer", zh: "任意响应" },
    },
    resolver: {
      label: { en: "Resolver", zh: "DNS 服务器" },
      hint: {
        en: "The IP address of a name server. Default: the probe runner's system settings.",
        zh: "DNS 服务器的 IP 地址。默认使用探测节点的系统设置。",
      },
      input: "code",
      placeholder: "1.1.1.1:53",
      none: { en: "System default", zh: "系统默认" },
    },
  },
});
