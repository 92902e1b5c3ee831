import type { FieldForm } from "./kind-form.ts";

/** Settings that all kinds share. Settings that need their own component are in features/monitors/form. */
export const sharedForm = {
  retries: {
    label: { en: "Retries before down", zh: "失败重试次数" },
    hint: {
      en: "A failed check is retried this many times, two seconds apart.",
      zh: "检查失败后按此次数重试，每次间隔两秒。",
    },
    input: "number",
    width: "half",
  },
  recoverAfter: {
    label: { en: "Good checks before up", zh: "恢复所需的成功次数" },
    hint: {
      en: "A monitor that is down needs this many good checks in a row. The outage ends at the first of them.",
      zh: "故障的监控项需连续成功这么多次才恢复。故障时长仍以其中第一次成功为止。",
    },
    input: "number",
    width: "half",
    unless: 1,
  },
  slowAfter: {
    label: { en: "Slow after", zh: "缓慢阈值" },
    hint: {
      en: "Milliseconds. Slower checks make the monitor slow, not down. Leave empty to turn this off.",
      zh: "毫秒。超过时监控项为缓慢，不算故障。留空则不启用。",
    },
    unit: { en: "ms", zh: "毫秒" },
    input: "number",
    width: "half",
    summary: (ms: number) => `${ms} ms`,
  },
  slowChecks: {
    label: { en: "When it is slow", zh: "判定缓慢的条件" },
    input: "object",
    // Text in the form, a number on the monitor page.
    shownIf: ({ slowAfter }) => slowAfter !== undefined && slowAfter !== null && slowAfter !== "",
    parts: {
      of: { label: { en: "Slow checks", zh: "缓慢的检查次数" }, input: "number", width: "half" },
      in: { label: { en: "Of the last", zh: "最近的检查次数" }, input: "number", width: "half" },
    },
    summary: ({ of, in: checks }: { of: number; in: number }) => `${of} / ${checks}`,
  },
  invert: {
    label: { en: "Invert result", zh: "反转结果" },
    hint: {
      en: "Up when the check fails, down when it succeeds. For targets that must not be reachable.",
      zh: "检查失败时视为正常，检查成功时视为故障。适用于不应能访问的目标。",
    },
    input: "switch",
    unless: false,
  },
  keepBody: {
    label: { en: "Keep the response of failed checks", zh: "保留检查失败时的响应内容" },
    hint: {
      en: "Keeps the first 2 KB, with secrets masked, for users who can make changes; shown with the incident. Turn this off if responses contain personal data; stored responses are then deleted.",
      zh: "保留前 2 KB，机密值会被遮盖，有修改权限的用户可在事件中查看。响应含个人数据时请关闭，已保留的内容也会删除。",
    },
    input: "switch",
    unless: true,
  },
  description: {
    label: { en: "Description", zh: "描述" },
    hint: { en: "Optional plain text, shown below the name.", zh: "选填，纯文本，显示在名称下方。" },
    input: "prose",
    rows: 2,
    summary: null,
  },
} satisfies Record<string, FieldForm>;
