import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/alert.ts";
import { formatInstant } from "./format.ts";
import type { Label } from "./texts/texts.ts";
import { textsOf } from "./word-facts.ts";
import { templateValues } from "./values.ts";

/** The facts of one alert as names and values, what helps most first. Those that are not known are left out. */
export function fieldsOf(facts: AlertFacts, language: Language): { label: string; value: string }[] {
  const values = templateValues(facts, language);
  const isOver = facts.closedAtMs !== undefined;
  const at = (ms: number) => formatInstant(ms, facts.timeZone);
  const told: readonly [Label, string][] = [
    ["since", at(facts.openedAtMs)],
    ["until", facts.closedAtMs === undefined ? "" : at(facts.closedAtMs)],
    ["duration", isOver || facts.reminder > 0 ? values.duration : ""],
    ["address", values.url],
    ["hostname", values.hostname],
    ["ipAddresses", values.ipAddresses],
    ["os", values.os],
    ["statusCode", values.statusCode],
    ["responseTime", values.responseTime],
    ["location", values.location],
    ["tags", values.tags],
    ["note", values.note],
  ];
  const { labels } = textsOf(language);
  return told.filter(([, value]) => value !== "").map(([label, value]) => ({ label: labels[label], value }));
}
