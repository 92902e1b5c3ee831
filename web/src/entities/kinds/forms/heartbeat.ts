import { type CheckFields, type FieldForm, kindForm, type Text } from "../kind-form.ts";

const minutes = { en: "minutes", zh: "分钟" };
const seconds = { en: "seconds", zh: "秒" };
const byCron = ({ cron }: CheckFields) => cron !== undefined;

type Rule = { min?: number; max?: number; within?: number };

const rule = (label: Text, name: string, placeholder: string): FieldForm => ({
  label,
  hint: {
    en: `Down if a success reports ${name}= outside these limits.`,
    zh: `成功上报的 ${name}= 超出以下范围时判定为故障。`,
  },
  input: "object",
  place: "limits",
  parts: {
    min: { label: { en: "Minimum", zh: "最小值" }, input: "number", width: "third", placeholder },
    max: { label: { en: "Maximum", zh: "最大值" }, input: "number", width: "third" },
    within: {
      label: { en: "Within % of the median", zh: "与中位数相差不超过 %" },
      input: "number",
      width: "third",
      placeholder: "20",
    },
  },
  summary: ({ min, max, within }: Rule) =>
    [min !== undefined && `≥ ${min}`, max !== undefined && `≤ ${max}`, within !== undefined && `± ${within}%`]
      .filter((part) => part !== false)
      .join(", "),
});

export const form = kindForm<"heartbeat">({
  name: { en: "Heartbeat", zh: "心跳" },
  purpose: { en: "A job reports each time it has run", zh: "任务每次运行后主动上报" },
  group: "jobs",
  fields: {
    every: {
      label: { en: "Every", zh: "间隔" },
      hint: { en: "The time from one success to the next.", zh: "相邻两次成功上报之间的时间。" },
      unit: minutes,
      input: "schedule",
      place: "address",
    },
    cron: {
      label: { en: "Cron expression", zh: "cron 表达式" },
      hint: {
        en: "Five or six fields, such as 0 3 * * * for 3:00 each night",
        zh: "五个或六个字段，例如 0 3 * * * 表示每天凌晨 3:00",
      },
      input: "cron",
      place: "address",
      placeholder: "0 3 * * *",
    },
    timeZone: {
      label: { en: "Time zone", zh: "时区" },
      input: "timeZone",
      place: "address",
      shownIf: byCron,
      none: { en: "UTC", zh: "UTC" },
    },
    grace: {
      label: { en: "Grace period", zh: "宽限期" },
      hint: {
        en: "How late a success may be (300, 5m or 1h) before the monitor goes down.",
        zh: "允许成功上报迟到的时间（300、5m 或 1h），超过后判定为故障。",
      },
      unit: seconds,
      input: "duration",
      place: "basic",
      width: "half",
    },
    startGrace: {
      label: { en: "Start grace period", zh: "开始宽限期" },
      hint: {
        en: "Down if no start ping arrives within this time after the due time. Leave empty if the job sends none.",
        zh: "到期后须在此时间内上报开始，否则判定为故障。留空表示不要求上报开始。",
      },
      unit: seconds,
      input: "duration",
      place: "limits",
      width: "half",
      placeholder: "10m",
    },
    maxRuntime: {
      label: { en: "Maximum run time", zh: "最长运行时间" },
      hint: {
        en: "Down if a run takes longer. Leave empty for no limit.",
        zh: "运行超过此时长时判定为故障。留空表示不限制。",
      },
      unit: seconds,
      input: "duration",
      place: "limits",
      width: "half",
      placeholder: "2h",
    },
    minRuntime: {
      label: { en: "Minimum run time", zh: "最短运行时间" },
      hint: {
        en: "Down if a run ends sooner: it probably did nothing. Leave empty for no limit.",
        zh: "运行短于此时长时判定为故障：很可能什么都没做。留空表示不限制。",
      },
      unit: seconds,
      input: "duration",
      place: "limits",
      width: "half",
      placeholder: "10s",
    },
    rows: rule({ en: "Rows", zh: "行数" }, "rows", "1000"),
    bytes: rule({ en: "Bytes", zh: "字节数" }, "bytes", "5000000"),
    files: rule({ en: "Files", zh: "文件数" }, "files", "12"),
    ms: rule({ en: "Milliseconds", zh: "毫秒数" }, "ms", "60000"),
    slug: {
      label: { en: "Slug", zh: "标识" },
      hint: {
        en: "The job's name in ping-key addresses: lowercase letters, digits, - and _",
        zh: "按标识上报时地址中的名称：小写字母、数字、- 和 _",
      },
      input: "code",
      place: "limits",
      width: "half",
      placeholder: "nightly-backup",
    },
    keepOutput: {
      label: { en: "Keep the output", zh: "保留输出" },
      hint: {
        en: "The first 10 KB that the job sends, kept for 30 days and visible to users who can make changes.",
        zh: "任务输出的前 10 KB 保留 30 天，只有具有修改权限的用户可以查看。",
      },
      input: "switch",
      place: "limits",
      unless: true,
    },
  },
});
