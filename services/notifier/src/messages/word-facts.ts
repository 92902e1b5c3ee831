import type { Language } from "@sonde/proto/http/messages";
import { explain } from "@sonde/proto/http/reasons/reasons";
import type { AlertFacts } from "../alerts/alert.ts";
import { formatPercent, formatSpan } from "./format.ts";
import { lineOf } from "./plain.ts";
import { texts as english } from "./texts/en-US.ts";
import type { Texts, WordedFacts } from "./texts/texts.ts";
import { texts as chinese } from "./texts/zh-CN.ts";

const all: Readonly<Record<Language, Texts>> = { "en-US": english, "zh-CN": chinese };

/** The built-in words of a language. */
export const textsOf = (language: Language): Texts => all[language];

const mostNames = 20;

/** Why an incident opened, in a language. */
export const causeOf = (cause: string, language: Language): string => lineOf(explain(cause, language));

/** An alert's facts as sentences take them: plain, short, and in their language. */
export function wordFacts(facts: AlertFacts, language: Language): WordedFacts {
  const { metric } = textsOf(language);
  const { names, count } = facts.dependents;
  return {
    name: lineOf(facts.target.name),
    incidentKind: facts.incidentKind,
    resolution: facts.resolution,
    cause: causeOf(facts.cause, language),
    metric: facts.metric === undefined || facts.metric === "" ? "" : metric(lineOf(facts.metric)),
    value: facts.value === undefined ? "" : formatPercent(facts.value, language),
    threshold: facts.threshold === undefined ? "" : formatPercent(facts.threshold, language),
    duration: formatSpan((facts.closedAtMs ?? facts.atMs) - facts.openedAtMs, language),
    flaps: facts.flaps,
    reminder: facts.reminder,
    dependents: { names: names.slice(0, mostNames).map((name) => lineOf(name, 100)), count },
  };
}

/** Whether users, not the target's recovery, ended the incident. */
export const isEndedByPeople = ({ resolution }: AlertFacts): boolean =>
  resolution !== undefined && resolution !== "recovered";
