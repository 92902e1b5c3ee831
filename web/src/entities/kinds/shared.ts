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
