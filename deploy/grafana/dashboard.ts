// The JSON model of Grafana's dashboards, as far as ours use it:
// https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/

/** One query and what its series are called, by Grafana's `{{label}}`. */
export type Query = { expr: string; legend: string };

export type Panel = {
  title: string;
  /** Meaning of the panel, and when its value is bad; shown beside the title. */
  about?: string;
  /** Grafana's id of a unit: `s`, `bytes`, `reqps`, `percentunit`, `short`. */
  unit?: string;
  /** A number each instead of lines. */
  stat?: boolean;
  /** Stacked lines, since their sum is meaningful. */
  stacked?: boolean;
  queries: readonly Query[];
};

type Row = { title: string; panels: readonly Panel[] };
/** By which one Sonde of several is chosen. */
type Variable = { name: string; label: string; query: string };
export type GrafanaDashboard = {
  uid: string;
  title: string;
  about: string;
  /** The namespace, unless given. */
  variable?: Variable;
  rows: readonly Row[];
};

const gridColumns = 24;
const panelHeight = 8;
const datasource = { type: "prometheus", uid: "${datasource}" };
const namespaces: Variable = {
  name: "namespace",
  label: "Namespace",
  query: "label_values(sonde_build_info, namespace)",
};
/** What scrapes `/api/metrics` names its job; it is in no namespace. */
export const watchedVariable: Variable = {
  name: "job",
  label: "Job",
  query: "label_values(sonde_monitor_paused, job)",
};
/** In Prometheus' `namespace=~"$namespace"`; also what has no such label counts. */
const chosen = ({ name, label, query }: Variable) => ({
  name,
  label,
  type: "query",
  datasource,
  query: { query, refId: `${name}s` },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: ".*",
  current: { text: "All", value: "$__all" },
});

/** A dashboard in Grafana's own JSON: rows of panels of equal width, three beside each other. */
export function toJson({ uid, title, about, variable = namespaces, rows }: GrafanaDashboard): string {
  const panels: unknown[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: gridColumns, x: 0, y },
    });
    y += 1;
    for (const [index, panel] of row.panels.entries()) {
      const atOnce = Math.min(3, row.panels.length);
      const w = gridColumns / atOnce;
      const isLast = index % atOnce === atOnce - 1 || index === row.panels.length - 1;
      panels.push({
        id: panels.length + 1,
        ...drawn(panel),
        gridPos: { h: panelHeight, w, x: (index % atOnce) * w, y },
      });
      if (isLast) y += panelHeight;
    }
  }
  const dashboard = {
    uid,
    title,
    description: about,
    tags: ["sonde"],
    schemaVersion: 41,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    timezone: "",
    links: [
      { type: "dashboards", title: "Sonde", tags: ["sonde"], asDropdown: true, keepTime: true, includeVars: true },
    ],
    templating: {
      list: [
        { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus", refresh: 1 },
        chosen(variable),
      ],
    },
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 1)}\n`;
}

function drawn({ title, about = "", unit = "short", stat = false, stacked = false, queries }: Panel): object {
  const targets = queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource,
    expr,
    legendFormat: legend,
    ...(stat ? { instant: true, range: false } : { range: true }),
  }));
  const shared = { title, description: about, datasource, targets };
  if (stat) {
    const thresholds = { mode: "absolute", steps: [{ color: "text", value: null }] };
    return {
      ...shared,
      type: "stat",
      fieldConfig: { defaults: { unit, thresholds }, overrides: [] },
      options: {
        reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
        textMode: "value_and_name",
        graphMode: "none",
      },
    };
  }
  const custom = {
    lineWidth: 1,
    fillOpacity: stacked ? 30 : 0,
    showPoints: "never",
    stacking: { mode: stacked ? "normal" : "none" },
  };
  return {
    ...shared,
    type: "timeseries",
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: {
      legend: { displayMode: "list", placement: "bottom", showLegend: true },
      tooltip: { mode: "multi", sort: "desc" },
    },
  };
}

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
