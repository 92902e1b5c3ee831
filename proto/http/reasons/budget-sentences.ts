import { fill } from "../fill.ts";
import type { Language } from "../messages.ts";

/** Sentences about the budget of a service level, and their parts: English texts with zh-CN translations. */
export const budgetSentences = {
  "No data yet": "暂无数据",
  "{left} left {span}": "{span}剩余 {left}",
  "{left} left {span}; at this rate used up {when}": "{span}剩余 {left}，按当前速度将于{when}用尽",
  "Nothing spent so far; the budget {period} is {full}": "尚未消耗，{period}误差预算为 {full}",
  "{spent} spent so far; the budget {period} is {full}": "已消耗 {spent}，{period}误差预算为 {full}",
  "{spent} spent so far; the budget {period} is {full}, at this rate used up {when}":
    "已消耗 {spent}，{period}误差预算为 {full}，按当前速度将于{when}用尽",
  "Budget used up {ago} ago; {over} over": "误差预算已于 {ago}前用尽，超出 {over}",
  "Budget used up; {over} over": "误差预算已用尽，超出 {over}",
} as const;
export const budgetParts = {
  "this month": "本月",
  "of the whole month": "全月",
  "of {days} days": "{days} 天",
  "of the {days}-day budget": "{days} 天预算",
  "{count} second": "{count} 秒",
  "{count} seconds": "{count} 秒",
  "{count} minute": "{count} 分钟",
  "{count} minutes": "{count} 分钟",
  "{count} hour": "{count} 小时",
  "{count} hours": "{count} 小时",
  "{count} day": "{count} 天",
  "{count} days": "{count} 天",
  "within an hour": "一小时内",
  today: "今天",
  tomorrow: "明天",
  "on Monday": "周一",
  "on Tuesday": "周二",
  "on Wednesday": "周三",
  "on Thursday": "周四",
  "on Friday": "周五",
  "on Saturday": "周六",
  "on Sunday": "周日",
  "on {date}": " {date} ",
} as const;
export type BudgetPart = keyof typeof budgetParts;
/** The cause of an incident: the name of the service level, what is spent, and a sentence. */
export const budgetCauses = {
  "{name}, response times: {sentence}": "{name}，响应时间：{sentence}",
  "{name}: {sentence}": "{name}：{sentence}",
} as const;

type Texts = Readonly<Record<string, string>>;
const valueOf: Texts = { count: String.raw`\d+`, days: String.raw`\d+`, date: String.raw`[\d-]+` };
const patternsOf = (texts: Texts) =>
  Object.entries(texts).map(([english, chinese]) => ({
    pattern: new RegExp(
      `^${english.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${valueOf[name] ?? ".+?"})`)}$`,
      "s",
    ),
    chinese,
  }));
const [sentences, parts, causes] = [budgetSentences, budgetParts, budgetCauses].map(patternsOf);

function translated(
  patterns: ReturnType<typeof patternsOf> = [],
  text: string,
  inner: (part: string, name: string) => string | null,
): string | null {
  for (const { pattern, chinese } of patterns) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const groups = Object.entries(found.groups ?? {}).map(([name, part]) => [name, inner(part, name)] as const);
    if (groups.every(([, part]) => part !== null)) return fill(chinese, Object.fromEntries(groups) as Texts);
  }
  return null;
}

const sentenceOf = (text: string) => translated(sentences, text, (part) => translated(parts, part, (value) => value));

/** Translates a sentence about a budget, alone or as a cause; `null` if the text is something else. */
export function explainBudget(text: string, language: Language): string | null {
  if (language !== "zh-CN") return null;
  const asCause = () => translated(causes, text, (part, name) => (name === "sentence" ? sentenceOf(part) : part));
  return sentenceOf(text) ?? asCause();
}
