import type { Language } from "@sonde/proto/http/messages";

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

const english = {
  handoff: {
    title: (schedule: string) => `You are on call: ${schedule}`,
    until: (until: string | undefined) => (until === undefined ? "No end is planned." : `Until ${until}.`),
    next: (name: string) => ` Then ${name} is on call.`,
    /** `name`: who is on call after the gap. */
    gap: (name: string | undefined, at: string) =>
      name === undefined ? " Then nobody is on call." : ` Then nobody is on call until ${at}, when ${name} begins.`,
    open: (count: number) => (count === 0 ? "No open incidents." : `${counted(count, "open incident")}:`),
    incident: (text: string, facts: readonly string[]) => `${text} (${facts.join(", ")})`,
    since: (at: string) => `since ${at}`,
    acknowledged: (by: string) => (by === "" ? "not acknowledged" : `acknowledged by ${by}`),
    snoozed: (until: string) => `snoozed until ${until}`,
    last: (name: string, from: string, count: number) =>
      `Last shift (${name}, since ${from}): ${count === 0 ? "no incidents" : counted(count, "incident")}.`,
    longest: (name: string, duration: string) => `The longest was ${name}: ${duration}.`,
    quiet: (count: number): string =>
      count === 0 ? "Nothing is silenced or in maintenance." : "Silenced or in maintenance:",
    quietUntil: (name: string, until: string) => `${name} until ${until}`,
    maintenance: (name: string) => `Maintenance “${name}”`,
    unknownQuiet: "What is silenced or in maintenance could not be read.",
    more: (count: number) => `and ${count} more`,
    deleted: "a deleted user",
    links: { open: "Open incidents", longest: "Longest incident", schedule: "Schedule" },
  },
  deviceRemoved: {
    title: (device: string) => `No more notifications to ${device}`,
    text: (device: string) =>
      `${device} no longer accepts notifications from Sonde. Its browser data was cleared, or notifications were turned off. Sonde has removed it from your devices.\n\nTo be notified there again, open your profile on it and press Enable on this device.`,
    link: "Your devices",
  },
};

const chinese: typeof english = {
  handoff: {
    title: (schedule) => `开始值班：${schedule}`,
    until: (until) => (until === undefined ? "本班次没有结束时间。" : `本班次到 ${until} 结束。`),
    next: (name) => `下一位：${name}。`,
    gap: (name, at) => (name === undefined ? "之后无人值班。" : `之后无人值班，直到 ${at} 由 ${name} 接班。`),
    open: (count) => (count === 0 ? "没有进行中的事件。" : `${count} 个进行中的事件：`),
    incident: (text, facts) => `${text}（${facts.join("，")}）`,
    since: (at) => `始于 ${at}`,
    acknowledged: (by) => (by === "" ? "未确认" : `${by} 已确认`),
    snoozed: (until) => `提醒暂缓至 ${until}`,
    last: (name, from, count) => `上一班（${name}，${from} 起）：${count === 0 ? "没有事件" : `${count} 个事件`}。`,
    longest: (name, duration) => `最长的是 ${name}，持续${duration}。`,
    quiet: (count) => (count === 0 ? "没有静默或维护。" : "静默或维护中："),
    quietUntil: (name, until) => `${name}，至 ${until}`,
    maintenance: (name) => `维护窗口“${name}”`,
    unknownQuiet: "暂时无法读取静默和维护窗口。",
    more: (count) => `另有 ${count} 个`,
    deleted: "已删除的用户",
    links: { open: "进行中的事件", longest: "最长的事件", schedule: "值班表" },
  },
  deviceRemoved: {
    title: (device) => `${device} 不再接收通知`,
    text: (device) =>
      `${device} 不再接受 Sonde 的通知：浏览器数据可能已被清除，或通知已被关闭。Sonde 已将其从设备列表中移除。\n\n如需恢复，请在该设备上打开个人资料，点击“在此设备上启用”。`,
    link: "我的设备",
  },
};

/** Messages to a person that are about no incident. Instants and durations are formatted already. */
export const noticeTexts: Readonly<Record<Language, typeof english>> = { "en-US": english, "zh-CN": chinese };
