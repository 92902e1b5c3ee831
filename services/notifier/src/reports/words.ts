import type { Language } from "@sonde/proto/http/messages";

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Durations, instants and dates are formatted already. */
const english = {
  titles: { day: "Daily report", week: "Weekly report", month: "Monthly report", year: "Yearly report" },
  title: (kind: string, name: string, period: string) => `${kind}: ${name} (${period})`,
  span: (from: string, until: string, timeZone: string) => `${from} to ${until} (${timeZone})`,
  created: (at: string) => `Created ${at}.`,
  correction: "This is a correction of an earlier report about the same period.",
  nothing: "Nothing to report: no service belongs to this report.",
  noData: (all: number) => `There is no data about ${all === 1 ? "the service" : `any of the ${all} services`}.`,
  allUp: (all: number) => (all === 1 ? "The service was up." : `All ${all} services were up.`),
  down: (down: number, all: number, total: string) =>
    `${down} of ${counted(all, "service")} ${down === 1 ? "was" : "were"} down, ${total} in total.`,
  longest: (name: string, lasted: string, day: string) => `${name} was down longest: ${lasted}${day}.`,
  onlyDown: (name: string, all: number, lasted: string, day: string) =>
    all === 1 ? `${name} was down: ${lasted}${day}.` : `1 of ${all} services was down: ${name}, ${lasted}${day}.`,
  on: {
    day: () => "",
    week: (day: string) => ` on ${day}`,
    month: (day: string) => ` on ${day}`,
    year: (month: string) => ` in ${month}`,
  },
  stillDown: (names: string) => `Still down: ${names}.`,
  unknown: (count: number) => `For ${counted(count, "service")}, some data is missing.`,
  average: (now: string, before: string) => `Average uptime: ${now}${before === "" ? "" : `, previously ${before}`}.`,
  omitted: (count: number) => `${counted(count, "more service")} matched and ${count === 1 ? "is" : "are"} not shown.`,
  columns: ["Service", "Uptime", "Change", "Down", "No data", "Maintenance", "Incidents", "Longest", "By day"],
  byMonth: "By month",
  legend: { d: "down", p: "down in less than a tenth of the checks", n: "no data", m: "maintenance or paused" },
  counting:
    "Down, no data, maintenance and the longest incident are in minutes. Down is the share of failed checks times the monitored time. Uptime is the share of successful checks; maintenance, pauses and times without data are excluded. Change compares with the previous period.",
  incidents: {
    day: "What was down and recovered",
    week: "Longest incidents",
    month: "Longest incidents",
    year: "Longest incidents",
  },
  incidentColumns: ["Service", "From", "Until", "Minutes", "Cause"],
  open: "open",
  noIncidents: "No incidents.",
  more: (count: number) => `and ${count} more`,
  verify: "Verify this report",
  verifyText: (command: string) =>
    `Save this file and run ${command}. It works offline and finds any changed character.`,
  keyText: "Key:",
  downFor: (lasted: string, uptime: string) => `down ${lasted}, uptime ${uptime}`,
  incident: (from: string, lasted: string, isOpen: boolean) =>
    `since ${from}, ${lasted}${isOpen ? ", still open" : ""}`,
  read: "Read the report",
  unsubscribe: "Unsubscribe",
  confirm: {
    subject: (name: string) => `Confirm that you want reports: ${name}`,
    text: (by: string, name: string) =>
      `${by} would like to send you the report “${name}” regularly. You will receive it once you confirm.\n\nThe link is valid for 7 days. If you do not want reports, ignore this email; you won't receive any more.`,
    link: "Confirm",
    done: (name: string) => `You will receive the report “${name}”.`,
    asked: (name: string) => `Do you want to receive the report “${name}”?`,
  },
  end: {
    link: "Unsubscribe",
    done: (name: string) => `You will no longer receive the report “${name}”.`,
    asked: (name: string) => `Stop receiving the report “${name}”?`,
  },
};
export type ReportWords = typeof english;

const chinese: ReportWords = {
  titles: { day: "日报", week: "周报", month: "月报", year: "年报" },
  title: (kind, name, period) => `${kind}：${name}（${period}）`,
  span: (from, until, timeZone) => `${from} 至 ${until}（${timeZone}）`,
  created: (at) => `生成于 ${at}。`,
  correction: "本报告是对同一周期先前报告的更正。",
  nothing: "没有可报告的内容：此报告不包含任何服务。",
  noData: (all) => (all === 1 ? "该服务没有数据。" : `${all} 个服务均没有数据。`),
  allUp: (all) => (all === 1 ? "该服务一直正常。" : `${all} 个服务全部正常。`),
  down: (down, all, total) => `${all} 个服务中有 ${down} 个发生中断，合计${total}。`,
  longest: (name, lasted, day) => `${name} 中断最久：${day}共${lasted}。`,
  onlyDown: (name, all, lasted, day) =>
    all === 1
      ? `${name} 发生中断：${day}共${lasted}。`
      : `${all} 个服务中有 1 个发生中断：${name}，${day}共${lasted}。`,
  on: { day: () => "", week: (day) => day, month: (day) => day, year: (month) => month },
  stillDown: (names) => `仍未恢复：${names}。`,
  unknown: (count) => `${count} 个服务缺少部分数据。`,
  average: (now, before) => `平均可用率：${now}${before === "" ? "" : `，上一周期为 ${before}`}。`,
  omitted: (count) => `另有 ${count} 个符合条件的服务未列出。`,
  columns: ["服务", "可用率", "变化", "中断", "无数据", "维护", "事件", "最长", "每日"],
  byMonth: "每月",
  legend: { d: "中断", p: "不到十分之一的检查失败", n: "无数据", m: "维护或暂停" },
  counting:
    "中断、无数据、维护和最长事件的单位均为分钟。中断时长等于失败检查的占比乘以监控时长。可用率为成功检查的占比，不计维护、暂停和无数据的时段。变化为与上一周期的差值。",
  incidents: { day: "中断与恢复", week: "持续最久的事件", month: "持续最久的事件", year: "持续最久的事件" },
  incidentColumns: ["服务", "开始", "结束", "分钟", "原因"],
  open: "未恢复",
  noIncidents: "没有事件。",
  more: (count) => `另有 ${count} 个`,
  verify: "验证本报告",
  verifyText: (command) => `保存此文件并运行 ${command}。验证无需联网，任何字符被改动都会被发现。`,
  keyText: "公钥指纹：",
  downFor: (lasted, uptime) => `中断${lasted}，可用率 ${uptime}`,
  incident: (from, lasted, isOpen) => `始于 ${from}，持续${lasted}${isOpen ? "，尚未恢复" : ""}`,
  read: "查看报告",
  unsubscribe: "退订",
  confirm: {
    subject: (name) => `确认接收报告：${name}`,
    text: (by, name) =>
      `${by} 希望定期向您发送报告“${name}”。确认后您才会收到。\n\n链接在 7 天内有效。如不需要，请忽略此邮件，之后不会再向您发送邮件。`,
    link: "确认接收",
    done: (name) => `您将收到报告“${name}”。`,
    asked: (name) => `要接收报告“${name}”吗？`,
  },
  end: {
    link: "退订",
    done: (name) => `您不会再收到报告“${name}”。`,
    asked: (name) => `不再接收报告“${name}”？`,
  },
};

export const reportWords: Readonly<Record<Language, ReportWords>> = { "en-US": english, "zh-CN": chinese };
