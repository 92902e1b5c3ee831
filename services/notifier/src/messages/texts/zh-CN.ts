import { formatNumber } from "../format.ts";
import { counted, inLanguage, type Texts, type WordedFacts } from "./texts.ts";

const number = (value: number) => formatNumber(value, "zh-CN");

const reminder = ({ reminder: nth, duration }: WordedFacts) =>
  nth === 0 ? "" : `第 ${nth} 次提醒：已持续 ${duration}，尚无人确认。`;

function dependents({ dependents: { names, count } }: WordedFacts): string {
  if (count === 0) return "";
  const named = names.slice(0, count);
  const more = count > named.length && named.length > 0 ? " 等" : "";
  return `另有 ${number(count)} 个目标依赖它，不再单独告警：${list(named)}${more}`;
}

const flaps = ({ flaps: count, incidentKind }: WordedFacts) =>
  count === 0
    ? ""
    : incidentKind === "threshold"
      ? `期间又 ${number(count)} 次超过阈值。`
      : `期间又发生 ${number(count)} 次故障。`;

const opening = (facts: WordedFacts) => [facts.cause, reminder(facts), flaps(facts), dependents(facts)];
/** Its title has the cause already, except a reminder's. */
const passing = (facts: WordedFacts) => opening(facts).slice(facts.value !== "" && facts.reminder === 0 ? 1 : 0);
/** Its title has the cause already. */
const named = (facts: WordedFacts) => opening(facts).slice(1);
const lasted = (state: string) => (facts: WordedFacts) => [
  `${state}持续 ${facts.duration}。`,
  facts.cause === "" ? "" : `原因：${facts.cause}`,
  flaps(facts),
];
const still = ({ reminder: nth }: WordedFacts) => (nth > 0 ? "仍" : "");
const list = (names: readonly string[]) => names.join("、");
const limit = ({ threshold }: WordedFacts) => (threshold === "" ? "阈值" : threshold);

/** The fault of a target that flaps or flapped. */
const wrong = ({ incidentKind, metric }: WordedFacts) =>
  ({
    down: "处于故障状态",
    offline: "离线",
    stale: "没有检查结果",
    threshold: `${metric}超过阈值`,
    partial: "在部分位置故障",
    slow: "响应缓慢",
    external: "有未解除的告警",
    slo: "误差预算消耗过快",
  })[incidentKind];

export const texts: Texts = {
  titles: {
    down: (facts) => `${facts.name} ${still(facts) === "" ? "发生故障" : "仍未恢复"}`,
    recovery: ({ name }) => `${name} 已恢复`,
    offline: (facts) => `${facts.name} ${still(facts)}${facts.reminder > 0 ? "处于离线状态" : "已离线"}`,
    online: ({ name }) => `${name} 已恢复在线`,
    threshold: (facts) =>
      facts.reminder > 0 || facts.value === ""
        ? `${facts.name} ${facts.metric}${still(facts)}超过 ${limit(facts)}`
        : `${facts.name} ${facts.metric} ${facts.value}，超过 ${limit(facts)}`,
    cleared: ({ name, metric }) => `${name} ${metric}已恢复正常`,
    stale: (facts) => `${facts.name} ${still(facts)}没有检查结果`,
    fresh: ({ name }) => `${name} 已恢复检查结果`,
    partial: (facts) => `${facts.name} ${still(facts)}在部分位置故障`,
    whole: ({ name }) => `${name} 各位置均已恢复`,
    slow: (facts) => `${facts.name} ${still(facts)}响应缓慢`,
    fast: ({ name }) => `${name} 响应已恢复正常`,
    external: (facts) => `${facts.name}：${facts.reminder > 0 ? "仍未解除：" : ""}${facts.cause}`,
    resolved: ({ name, cause }) => `${name}：已解除：${cause}`,
    burning: ({ cause, metric, reminder: nth }) => (nth > 0 ? `${metric}：误差预算仍消耗过快` : cause),
    calm: ({ metric }) => `${metric}：误差预算消耗已恢复正常`,
    flapping: ({ name, incidentKind, metric }) =>
      incidentKind === "threshold" ? `${name} ${metric}在阈值上下反复波动` : `${name} 状态抖动`,
    steady: (facts) =>
      facts.resolution === undefined ? `${facts.name} 不再抖动，但仍${wrong(facts)}` : `${facts.name} 已恢复稳定`,
    test: () => "测试：此渠道可以收到 Sonde 的告警",
  },
  lines: {
    down: opening,
    recovery: lasted("故障"),
    offline: opening,
    online: lasted("离线"),
    threshold: passing,
    cleared: (facts) => lasted(`超过 ${limit(facts)} `)(facts),
    stale: opening,
    fresh: lasted("无检查结果"),
    partial: opening,
    whole: lasted("部分位置故障"),
    slow: opening,
    fast: lasted("响应缓慢"),
    external: named,
    resolved: ({ duration }) => [`告警持续 ${duration}。`],
    burning: (facts) => [...opening(facts).slice(facts.reminder === 0 ? 1 : 0), `主要由 ${facts.name} 消耗。`],
    calm: ({ duration, cause }) => [`持续 ${duration}。`, cause === "" ? "" : `最初的告警：${cause}`],
    flapping: (facts) => [
      "状态在正常与异常之间反复变化。稳定后会再通知，期间不再逐次告警。",
      facts.cause === "" ? "" : `最初的原因：${facts.cause}`,
      flaps(facts),
      dependents(facts),
    ],
    steady: (facts) =>
      facts.resolution === undefined
        ? [facts.cause, flaps(facts), dependents(facts)]
        : [`抖动持续 ${facts.duration}。`, flaps(facts)],
    test: () => ["这是一条测试消息，此渠道工作正常。以下为示例事件。"],
  },
  closedByUser: {
    title: ({ name, resolution }) =>
      `${name} 的事件已关闭（${resolution === "deleted" ? "已删除" : resolution === "paused" ? "已暂停" : "已修改"}）`,
    lines: (facts) => [`事件持续 ${facts.duration}。`, facts.cause === "" ? "" : `原因：${facts.cause}`],
  },
  drill: {
    title: (isOver) => (isOver ? "演练：已结束" : "演练：请确认"),
    lines: ({ isOver, acknowledgedBy, duration }) =>
      !isOver
        ? ["这是一次演练，没有任何故障。请确认，以证明告警能够送达。"]
        : acknowledgedBy.length > 0
          ? [`${list(acknowledgedBy)} 已确认，用时 ${duration}。`]
          : [`演练持续 ${duration}，无人确认。`],
    link: "查看演练",
  },
  brief: ({ isOver, cause, duration, at, dependents: { count } }) =>
    [
      isOver ? `持续 ${duration}` : cause,
      isOver ? "" : `开始于 ${at}`,
      isOver || count === 0 ? "" : `另有 ${number(count)} 个目标依赖它`,
    ]
      .filter((part) => part !== "")
      .join(" · "),
  several: (total, kinds) =>
    `${number(total)} 条告警：${kinds.map(({ kind, count }) => `${number(count)} ${inLanguage(counted[kind], "zh-CN")}`).join("，")}`,
  more: {
    title: (count) => `另有 ${number(count)} 条`,
    causes: (causes) => causes.map(({ cause, count }) => `${number(count)} × ${cause}`).join("，"),
  },
  links: { incident: "查看事件", acknowledge: "确认", acknowledgeAll: (count) => `确认全部 ${number(count)} 起` },
  answers: {
    snooze: "暂缓 1 小时",
    acknowledged: "已确认",
    snoozed: "提醒已暂缓 1 小时",
    failed: "未能保存，请打开事件后重试",
  },
  metric: (name) =>
    name === "cpu"
      ? "CPU 使用率"
      : name === "memory"
        ? "内存使用率"
        : name.startsWith("disk:")
          ? `磁盘 ${name.slice(5)} 使用率`
          : name,
  list,
};
