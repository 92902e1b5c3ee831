import { type Headline, type OverallState, type PublicState, verdictOf } from "./states.ts";

/** A sentence with `{number}`s in it, by the plural category of one of them. */
type Plural = { one?: string; other: string };

/** The words that the server renders and the page's script renders again when a state changes. */
export type StatusWords = {
  states: Record<PublicState, string>;
  /** `{ill}` and `{total}` are filled in. */
  headlines: Record<Headline, Plural>;
  /** One part a kind of state; `{count}` is filled in, `{total}` in `well`. */
  counts: { well: string; maintenance: string; pending: string; paused: string; unknown: string };
};

/** The further texts of the page's script; the document contains all of them. */
export type ScriptWords = StatusWords & {
  justNow: string;
  live: string;
  lost: string;
  perfectDay: string;
  comma: string;
  /** `{name}`, `{state}`. */
  changed: string;
  /** `{count}`. */
  andMore: string;
  subscribing: string;
  subscribeFailed: string;
  themes: Record<"auto" | "light" | "dark", string>;
};

/** The drawing of a state: each kind has a shape of its own, so that nothing depends on colour. */
export const shapeOf: Record<PublicState, string> = {
  up: "well",
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

/** How all together looks: the name of its colours, and of its drawing. */
export function lookOfAll(state: OverallState, headline: Headline): { look: string; shape: string } {
  if (headline === "maintenance") return { look: "maintenance", shape: "maintenance" };
  return { look: state, shape: shapeOfAll[state] };
}

export type Counts = { total: number; ill: number } & Record<keyof StatusWords["counts"], number>;

/** A sentence with its `{names}` filled in. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** How many services are in which state. */
export function countStates(states: readonly PublicState[]): Counts {
  const of = (...wanted: PublicState[]) => states.filter((state) => wanted.includes(state)).length;
  return {
    total: states.length,
    ill: states.filter((state) => verdictOf(state) === "ill").length,
    well: states.filter((state) => verdictOf(state) === "well").length,
    maintenance: of("maintenance"),
    pending: of("pending", "connecting"),
    paused: of("paused"),
    unknown: of("unknown"),
  };
}

/** The state of all together as a sentence. `language`: a BCP 47 tag, for its plurals. */
export function headlineText(words: StatusWords, headline: Headline, counts: Counts, language: string): string {
  const { one, other } = words.headlines[headline];
  const isOne = new Intl.PluralRules(language).select(counts.ill) === "one";
  return fill(isOne ? (one ?? other) : other, counts);
}

/** `12 of 14 working · 1 in maintenance`. */
export function countsText(words: StatusWords, counts: Counts): string {
  const names = ["maintenance", "pending", "paused", "unknown"] as const;
  const rest = names
    .filter((name) => counts[name] > 0)
    .map((name) => fill(words.counts[name], { count: counts[name] }));
  return [fill(words.counts.well, { count: counts.well, total: counts.total }), ...rest].join(" · ");
}
