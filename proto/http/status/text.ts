import { type Headline, type OverallState, type PublicState, verdictOf } from "./states.ts";

/** A text with placeholders, by the plural category of a number. */
type Plural = { one?: string; other: string };

/** Texts rendered by the server, and again by the page's script when a state changes. */
export type StatusWords = {
  states: Record<PublicState, string>;
  /** Placeholders: `{ill}`, `{total}`. */
  headlines: Record<Headline, Plural>;
  /** One part per state. Placeholders: `{count}`, and `{total}` in `well`. */
  counts: { well: string; slow: string; maintenance: string; pending: string; paused: string; unknown: string };
};

/** All texts of the page's script, which are embedded in the document. */
export type ScriptWords = StatusWords & {
  justNow: string;
  live: string;
  lost: string;
  perfectDay: string;
  comma: string;
  /** Placeholders: `{name}`, `{state}`. */
  changed: string;
  /** Placeholder: `{count}`. */
  andMore: string;
  subscribing: string;
  subscribeFailed: string;
  themes: Record<"auto" | "light" | "dark", string>;
};

/** Shape drawn for a state. Shapes differ so that nothing depends on colour. */
export const shapeOf: Record<PublicState, string> = {
  up: "well",
  slow: "partly",
  online: "well",
  down: "ill",
  offline: "ill",
  pending: "waiting",
  connecting: "waiting",
  paused: "paused",
  maintenance: "maintenance",
  unknown: "unknown",
};
const shapeOfAll: Record<OverallState, string> = {
  operational: "well",
  degraded: "partly",
  down: "ill",
  unknown: "unknown",
};

/** Returns the colour scheme and shape of the overall state. */
export function lookOfAll(state: OverallState, headline: Headline): { look: string; shape: string } {
  if (headline === "maintenance") return { look: "maintenance", shape: "maintenance" };
  return { look: state, shape: shapeOfAll[state] };
}

export type Counts = { total: number; ill: number } & Record<keyof StatusWords["counts"], number>;

/** Fills `{name}` placeholders. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

export function countStates(states: readonly PublicState[]): Counts {
  const of = (...wanted: PublicState[]) => states.filter((state) => wanted.includes(state)).length;
  return {
    total: states.length,
    ill: states.filter((state) => verdictOf(state) === "ill").length,
    well: states.filter((state) => verdictOf(state) === "well").length,
    slow: of("slow"),
    maintenance: of("maintenance"),
    pending: of("pending", "connecting"),
    paused: of("paused"),
    unknown: of("unknown"),
  };
}

/** Returns the headline. `language`: BCP 47 tag, for plurals. */
export function headlineText(words: StatusWords, headline: Headline, counts: Counts, language: string): string {
  const { one, other } = words.headlines[headline];
  const isOne = new Intl.PluralRules(language).select(counts.ill) === "one";
  return fill(isOne ? (one ?? other) : other, counts);
}

/** Returns a summary: `12 of 14 working · 1 in maintenance`. */
export function countsText(words: StatusWords, counts: Counts): string {
  const names = ["slow", "maintenance", "pending", "paused", "unknown"] as const;
  const rest = names
    .filter((name) => counts[name] > 0)
    .map((name) => fill(words.counts[name], { count: counts[name] }));
  return [fill(words.counts.well, { count: counts.well, total: counts.total }), ...rest].join(" · ");
}
