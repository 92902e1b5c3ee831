import { kindForm } from "../kind-form.ts";

export const form = kindForm<"domain">({
  name: { en: "Domain", zh: "域名" },
  purpose: { en: "A registered domain isn't about to expire", zh: "检查注册的域名是否即将到期" },
  group: "network",
  proposeName: ({ domain }) => String(domain).trim(),
  fields: {
    domain: {
      label: { en: "Domain", zh: "域名" },
      hint: {
        en: "A domain, or any name under it. Not every registry supports RDAP; click Test to find out.",
        zh: "域名，或其下的任意主机名。并非所有注册局都支持 RDAP，点击“测试”即可确认。",
      },
      input: "code",
      place: "address",
      placeholder: "example.com",
    },
    minDaysLeft: {
      label: { en: "Minimum days left", zh: "最少剩余天数" },
      hint: { en: "Down if the domain expires sooner.", zh: "域名剩余天数低于此值时判定为故障。" },
      input: "number",
      placeholder: "30",
    },
  },
});
