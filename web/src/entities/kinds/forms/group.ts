import { kindForm } from "../kind-form.ts";

export const form = kindForm<"group">({
  name: { en: "Group", zh: "分组" },
  purpose: {
    en: "Several monitors as one, such as three servers of which two suffice",
    zh: "把多个监控项合为一个，例如三台服务器中两台正常即可",
  },
  group: "together",
  fields: {
    members: {
      label: { en: "Members", zh: "成员" },
      hint: { en: "Monitors and other groups, at most 200.", zh: "监控项或其他分组，最多 200 个。" },
      input: "members",
      place: "address",
      summary: null,
    },
    tag: {
      label: { en: "Members with the tag", zh: "带有标签的成员" },
      hint: {
        en: "All monitors with this tag, also those you add later.",
        zh: "所有带有此标签的监控项，包括以后添加的。",
      },
      input: "memberTag",
      place: "address",
    },
    need: {
      label: { en: "Must be up", zh: "须正常的成员" },
      hint: {
        en: "The group is down if fewer members are up, and partially down if some are down but enough are up.",
        zh: "正常成员少于此数时分组为故障；有成员故障但正常成员足够时为部分故障。",
      },
      input: "need",
      place: "basic",
      options: { all: { en: "All members", zh: "全部成员" }, any: { en: "At least one", zh: "至少一个" } },
    },
    notifyMembers: {
      label: { en: "Members send their own alerts", zh: "成员各自发送告警" },
      hint: {
        en: "If off, only the group sends alerts, and incidents of members say why they sent none.",
        zh: "关闭后只由分组发送告警，成员的事件中会说明未发送的原因。",
      },
      input: "switch",
      place: "basic",
    },
  },
});
