import type { Query } from "./dashboard.ts";

const scope = 'namespace=~"$namespace"';
const window = "$__rate_interval";
const matching = (where: string) => `{${[scope, where].filter((part) => part !== "").join(", ")}}`;
const legendOf = (by: string) =>
  by
    .split(", ")
    .map((label) => `{{${label}}}`)
    .join(" ");

/** A gauge as it is, or its sum by labels. */
export function value(metric: string, { by = "", fold = "sum", where = "" } = {}): Query {
  return { expr: `${fold} by (${by}) (${metric}${matching(where)})`, legend: by === "" ? metric : legendOf(by) };
}

/** What a counter rises by each second. */
export function rate(metric: string, by: string, { where = "", legend = legendOf(by) } = {}): Query {
  return { expr: `sum by (${by}) (rate(${metric}${matching(where)}[${window}]))`, legend };
}

/** The share of those that match of all. */
export function share(metric: string, where: string, by: string): Query {
  const all = `sum by (${by}) (rate(${metric}${matching("")}[${window}]))`;
  const bad = `sum by (${by}) (rate(${metric}${matching(where)}[${window}]))`;
  return { expr: `(${bad} or 0 * ${all}) / ${all}`, legend: by === "" ? "share" : legendOf(by) };
}

/** Quantiles of a histogram, such as 0.5 and 0.99. */
export function quantiles(histogram: string, given: readonly number[], by = ""): Query[] {
  const labels = by === "" ? "le" : `${by}, le`;
  return given.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${labels}) (rate(${histogram}_bucket${matching("")}[${window}])))`,
    legend: [`p${quantile * 100}`, by === "" ? "" : legendOf(by)].join(" ").trim(),
  }));
}
