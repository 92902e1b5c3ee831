import type { Language } from "@sonde/proto/http/messages";
import type { IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { AlertKind } from "@sonde/proto/http/incidents/alerts";

export type WordedFacts = {
  name: string;
  incidentKind: IncidentKind;
  resolution?: IncidentResolution;
  cause: string;
  /** CPU, Disk /data, the name of a service level; empty without a metric. */
  metric: string;
  /** Percent; empty where not known. */
  value: string;
  threshold: string;
  duration: string;
  flaps: number;
  /** Counts from 1; 0: this is none. */
  reminder: number;
  /** Those that depend on it and are not alerted themselves: some by name, all by number. */
  dependents: { names: readonly string[]; count: number };
};

/** Kinds of alerts with their counts, for the title of a message of several. */
type AlertCounts = readonly { kind: AlertKind; count: number }[];

export type Texts = {
  /** One line a kind: what a phone shows on its locked screen. A reminder has its opening's kind. */
  titles: Readonly<Record<AlertKind, (facts: WordedFacts) => string>>;
  /** Lines below the title, beside the fields. Empty ones are left out. */
  lines: Readonly<Record<AlertKind, (facts: WordedFacts) => readonly string[]>>;
  /** Replaces both if users ended it. */
  closedByUser: { title: (facts: WordedFacts) => string; lines: (facts: WordedFacts) => readonly string[] };
  /** Replaces both for drills. */
  drill: {
    title: (isOver: boolean) => string;
    lines: (facts: WordedFacts & { isOver: boolean; acknowledgedBy: readonly string[] }) => readonly string[];
    link: string;
  };
  brief: (facts: WordedFacts & { isOver: boolean; at: string }) => string;
  several: (total: number, counted: AlertCounts) => string;
  more: { title: (count: number) => string; causes: (counted: readonly { cause: string; count: number }[]) => string };
  links: { incident: string; acknowledge: string; acknowledgeAll: (count: number) => string };
  /** What a tap on a phone does, and what came of it. */
  answers: { snooze: string; acknowledged: string; snoozed: string; failed: string };
  /** cpu, memory, disk:/data */
  metric: (name: string) => string;
  list: (names: readonly string[]) => string;
};

type InBoth = readonly [english: string, chinese: string];

export const inLanguage = ([english, chinese]: InBoth, language: Language): string =>
  language === "zh-CN" ? chinese : english;

export const labels = {
  since: ["Since", "开始时间"],
  until: ["Until", "结束时间"],
  duration: ["Duration", "持续时间"],
  address: ["Address", "地址"],
  hostname: ["Host", "主机"],
  ipAddresses: ["IP addresses", "IP 地址"],
  os: ["System", "系统"],
  statusCode: ["Status code", "状态码"],
  responseTime: ["Response time", "响应时间"],
  location: ["Location", "检查位置"],
  tags: ["Tags", "标签"],
  note: ["Note", "备注"],
  escalation: ["Escalation", "升级"],
  escalatedBy: ["Escalated by", "手动升级"],
  severity: ["Severity", "级别"],
  link: ["Source", "来源"],
  labels: ["Labels", "告警标签"],
} as const satisfies Record<string, InBoth>;
export type Label = keyof typeof labels;

export const statuses = {
  down: ["down", "故障"],
  offline: ["offline", "离线"],
  threshold: ["above threshold", "超过阈值"],
  stale: ["no data", "无数据"],
  fresh: ["data is back", "数据恢复"],
  partial: ["down from some locations", "部分位置故障"],
  slow: ["slow", "缓慢"],
  external: ["alert firing", "外部告警"],
  slo: ["error budget burning", "误差预算消耗过快"],
  resolved: ["resolved", "已解除"],
  paused: ["paused", "已暂停"],
  deleted: ["deleted", "已删除"],
  edited: ["edited", "已修改"],
  replaced: ["down", "故障"],
  flapping: ["flapping", "状态抖动"],
  upMonitor: ["up", "正常"],
  upAgent: ["online", "在线"],
  cleared: ["normal", "正常"],
  test: ["test", "测试"],
} as const satisfies Record<string, InBoth>;
export type AlertStatus = keyof typeof statuses;

/** Alerts of a kind, after their number. */
export const counted: Readonly<Record<AlertKind, InBoth>> = {
  down: ["down", "个故障"],
  recovery: ["up again", "个恢复"],
  offline: ["offline", "个离线"],
  online: ["online again", "个恢复在线"],
  threshold: ["above a threshold", "个超过阈值"],
  cleared: ["below a threshold again", "个回到阈值以下"],
  stale: ["without check results", "个无检查结果"],
  fresh: ["with check results again", "个恢复检查结果"],
  partial: ["down from some locations", "个部分位置故障"],
  whole: ["up from all locations again", "个各位置均已恢复"],
  slow: ["slow", "个响应缓慢"],
  fast: ["no longer slow", "个响应恢复正常"],
  external: ["alert firing", "个外部告警"],
  resolved: ["alert resolved", "个外部告警解除"],
  burning: ["error budget burning", "个误差预算消耗过快"],
  calm: ["error budget no longer burning", "个误差预算消耗恢复正常"],
  flapping: ["flapping", "个状态抖动"],
  steady: ["no longer flapping", "个恢复稳定"],
  test: ["test", "个测试"],
};
