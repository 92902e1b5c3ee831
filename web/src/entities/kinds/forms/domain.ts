import { kindForm } from "../kind-form.ts";

export const form = kindForm<"domain">({
  name: { en: "Domain", zh: "域名" },
  purpose: { en: "A registered domain does not run out", zh: "检查注册的域名是否即将到期" },
  group: "network",
  proposeName: ({ domain }) => String(domain).trim(),
  fields: {
    domain: {
      label: { en: "Domain", zh: "域名" },
      hint: {
        en: "Or a name in it. Its registry is asked by RDAP, which not every one offers: Test shows whether yours does.",
        zh: "也可填写其下的主机名。通过 RDAP 查询注册局，并非所有注册局都提供：点击“测试”即可确认。",
      },
      input: "code",
      place: "address",
      placeholder: "example.com",
    },
    minDaysLeft: {
      label: { en: "Minimum days left", zh: "最少剩余天数" },
      hint: { en: "Down when the domain expires sooner.", zh: "域名剩余天数低于此值时判定为故障。" },
      input: "number",
      placeholder: "30",
    },
  },
});
