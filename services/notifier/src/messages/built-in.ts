import type { TemplateKind } from "@sonde/proto/http/incidents/alerts";
import type { Language } from "@sonde/proto/http/messages";
import { sampleFacts } from "./sample.ts";
import type { WordedFacts } from "./texts/texts.ts";
import { textsOf } from "./word-facts.ts";

/** The built-in words of a kind as a template: a starting point for users' own. */
export function builtInTemplate(kind: TemplateKind, language: Language): { subject: string; content: string } {
  const { titles, lines, labels } = textsOf(language);
  const { incidentKind, target } = sampleFacts(kind, language, 0);
  const told: WordedFacts = {
    name: "{{name}}",
    incidentKind,
    cause: "{{error}}",
    metric: "{{metric}}",
    value: "{{value}}",
    threshold: "{{threshold}}",
    duration: "{{duration}}",
    flaps: 0,
    reminder: 0,
    dependents: { names: [], count: 0 },
  };
  const address = target.type === "agent" ? labels.hostname : labels.address;
  const content = [
    ...lines[kind](told),
    `${address}${language === "zh-CN" ? "：" : ": "}{{target}}`,
    "{{time}}",
    "{{incidentUrl}}",
  ];
  return { subject: titles[kind](told), content: content.filter((line) => line !== "").join("\n") };
}
