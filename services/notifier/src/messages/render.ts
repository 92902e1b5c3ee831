import type { TemplateKind, AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import { sharedCauseText } from "@sonde/proto/http/incidents/shared-cause";
import type { Language } from "@sonde/proto/http/messages";
import { maxLinkedIncidents } from "@sonde/proto/http/incidents/incidents";
import { fillTemplate } from "@sonde/proto/http/notifications/templates";
import { cut } from "../channels/text.ts";
import type { AlertFacts } from "../alerts/incident.ts";
import { alertFields, causeOf, isClosedByUser, wordFacts, textsOf, templateValues } from "./values.ts";
import { formatInstant, lineOf, visibleLines } from "./format.ts";
import type { MessageLine, ChannelMessage, Tone } from "./message.ts";

export type Links = { incidentUrl?: string; acknowledgeUrl?: string; tap?: string };
/** `others`: further incidents that the links acknowledge. */
export type MessageLinks = (incidentId: string, language: Language, others?: readonly string[]) => Links;
export type UsedTemplate = { kind: TemplateKind; subject: string; content: string };

export type Rendering = {
  key: string;
  alerts: readonly AlertFacts[];
  language: Language;
  /** Applies to alerts of its kind; others use the built-in texts. */
  template?: UsedTemplate | null;
  linksOf?: MessageLinks;
  sharedCauses?: readonly SharedCause[];
  isTest?: boolean;
};

type Worded = { title: string; text: string; isTemplate: boolean };

const maxTitleLength = 250;
const maxTextLength = 6000;
const maxNamed = 20;
const maxCauses = 3;

export function renderMessage(rendering: Rendering): ChannelMessage {
  const { key, language, sharedCauses = [], isTest = false } = rendering;
  const alerts = inOrder(rendering.alerts);
  const newest = alerts.reduce((latest, alert) => (alert.atMs > latest.atMs ? alert : latest));
  const [only, ...others] = alerts as [AlertFacts, ...AlertFacts[]];
  return {
    key,
    language,
    ...(others.length === 0 ? renderOne(only, rendering) : renderSeveral(alerts, rendering)),
    footer: `Sonde · ${formatInstant(newest.atMs, newest.timeZone)}`,
    alerts,
    sharedCause: sharedCauses[0],
    atMs: newest.atMs,
    isTest,
  };
}

type MessageContent = Pick<
  ChannelMessage,
  "tone" | "title" | "text" | "fields" | "entries" | "links" | "acknowledgeUrl" | "tap"
>;

function renderOne(alert: AlertFacts, rendering: Rendering): MessageContent {
  const { language, linksOf } = rendering;
  const links = alert.kind === "test" ? {} : (linksOf?.(alert.incidentId, language) ?? {});
  const { title, text, isTemplate } = word(alert, rendering, links);
  const tone = toneOf(alert);
  const labels = textsOf(language).links;
  const acknowledgeUrl = tone === "bad" ? links.acknowledgeUrl : undefined;
  return {
    tone,
    title,
    text,
    fields: isTemplate ? [] : alertFields(alert, language),
    entries: [],
    links: [
      ...(links.incidentUrl === undefined
        ? []
        : [
            {
              label: alert.drill === undefined ? labels.incident : textsOf(language).drill.link,
              url: links.incidentUrl,
            },
          ]),
      ...(acknowledgeUrl === undefined ? [] : [{ label: labels.acknowledge, url: acknowledgeUrl }]),
    ],
    acknowledgeUrl,
    tap: tone === "bad" ? links.tap : undefined,
  };
}

/** The worst open incidents have one link that acknowledges all of them. */
function renderSeveral(alerts: readonly AlertFacts[], rendering: Rendering): MessageContent {
  const open = new Set(alerts.filter((alert) => toneOf(alert) === "bad").map(({ incidentId }) => incidentId));
  const [first, ...others] = [...open].slice(0, maxLinkedIncidents);
  const links = first === undefined ? {} : (rendering.linksOf?.(first, rendering.language, others) ?? {});
  const { acknowledge, acknowledgeAll } = textsOf(rendering.language).links;
  const label = others.length === 0 ? acknowledge : acknowledgeAll(others.length + 1);
  const { sharedCauses = [] } = rendering;
  const tones = alerts.map(toneOf);
  return {
    tone: tones.includes("bad") ? "bad" : tones.includes("good") ? "good" : "info",
    title: textsOf(rendering.language).several(alerts.length, countKinds(alerts)),
    text: sharedCauses.map((cause) => lineOf(sharedCauseText(cause, rendering.language))).join("\n"),
    fields: [],
    entries: entriesOf(alerts, rendering),
    links: links.acknowledgeUrl === undefined ? [] : [{ label, url: links.acknowledgeUrl }],
    acknowledgeUrl: links.acknowledgeUrl,
    tap: links.tap,
  };
}

function entriesOf(alerts: readonly AlertFacts[], rendering: Rendering): MessageLine[] {
  const { language, linksOf } = rendering;
  const { brief, more } = textsOf(language);
  const named = alerts.slice(0, maxNamed).map((alert): MessageLine => {
    const links = linksOf?.(alert.incidentId, language) ?? {};
    const isOver = toneOf(alert) === "good";
    const text = brief({ ...wordFacts(alert, language), isOver, at: formatInstant(alert.openedAtMs, alert.timeZone) });
    return { tone: toneOf(alert), title: word(alert, rendering, links).title, text, url: links.incidentUrl };
  });
  const rest = alerts.slice(maxNamed);
  if (rest.length === 0) return named;
  const causes = rest.filter((alert) => toneOf(alert) === "bad").map(({ cause }) => cause);
  const commonest = countBy(causes).slice(0, maxCauses);
  const text = more.causes(commonest.map(({ value, count }) => ({ cause: causeOf(value, language), count })));
  return [...named, { tone: causes.length > 0 ? "bad" : "good", title: more.title(rest.length), text }];
}

function word(alert: AlertFacts, { language, template }: Rendering, { incidentUrl }: Links): Worded {
  const builtIn = builtInWords(alert, language);
  if (template == null || template.kind !== alert.kind) return { ...builtIn, isTemplate: false };
  const values = templateValues(alert, language, incidentUrl);
  const title = lineOf(fillTemplate(template.subject, values), maxTitleLength);
  const text = visibleLines(fillTemplate(template.content, values), maxTextLength).join("\n");
  // A template of only variables can be empty.
  return { title: title || builtIn.title, text: text || builtIn.text, isTemplate: text !== "" };
}

function builtInWords(alert: AlertFacts, language: Language): { title: string; text: string } {
  const texts = textsOf(language);
  const worded = wordFacts(alert, language);
  if (alert.drill !== undefined) {
    const facts = { ...worded, isOver: alert.closedAtMs !== undefined, ...alert.drill };
    return { title: texts.drill.title(facts.isOver), text: texts.drill.lines(facts).join("\n") };
  }
  const byUser = isClosedByUser(alert);
  const title = byUser ? texts.closedByUser.title(worded) : texts.titles[alert.kind](worded);
  const lines = byUser ? texts.closedByUser.lines(worded) : texts.lines[alert.kind](worded);
  return { title: cut(title, maxTitleLength), text: lines.filter((line) => line !== "").join("\n") };
}

/** Also the order of counts in titles. */
const worstFirst: readonly AlertKind[] = [
  "offline",
  "down",
  "external",
  "threshold",
  "flapping",
  "stale",
  "partial",
  "slow",
  "burning",
  "steady",
  "test",
  "online",
  "recovery",
  "cleared",
  "fresh",
  "whole",
  "fast",
  "resolved",
  "calm",
];

const good: ReadonlySet<AlertKind> = new Set([
  "recovery",
  "online",
  "cleared",
  "fresh",
  "whole",
  "fast",
  "resolved",
  "calm",
]);

export function toneOf({ kind, resolution }: AlertFacts): Tone {
  if (kind === "test") return "info";
  return good.has(kind) || resolution !== undefined ? "good" : "bad";
}

/** Sorts alerts for a reader: worst first, then those with most dependents, then oldest. */
function inOrder(alerts: readonly AlertFacts[]): AlertFacts[] {
  return [...alerts].sort(
    (one, other) =>
      worstFirst.indexOf(one.kind) - worstFirst.indexOf(other.kind) ||
      other.dependents.count - one.dependents.count ||
      one.openedAtMs - other.openedAtMs,
  );
}

function countBy<Value>(values: readonly Value[]): { value: Value; count: number }[] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => other.count - one.count);
}

function countKinds(alerts: readonly AlertFacts[]): { kind: AlertKind; count: number }[] {
  return worstFirst
    .map((kind) => ({ kind, count: alerts.filter((alert) => alert.kind === kind).length }))
    .filter(({ count }) => count > 0);
}
