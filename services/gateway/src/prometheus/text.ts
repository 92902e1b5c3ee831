/** The labels of a series as the format has them, and its value. */
export type Series = readonly [labels: string, value: number];
export type Family = { name: string; help: string; series: Iterable<Series> };

export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const textType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Gauges in Prometheus' text format, which of gauges is OpenMetrics too but for its end
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export function writeText(families: readonly Family[], isOpenMetrics: boolean): string {
  const lines: string[] = [];
  for (const { name, help, series } of families) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
    for (const [labels, value] of series) lines.push(`${name}{${labels}} ${value}`);
  }
  if (isOpenMetrics) lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

/** Labels as the format has them, without the braces. */
export const labelText = (labels: Readonly<Record<string, string | number>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(String(value))}"`)
    .join(",");

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escape = (text: string) => text.replace(/[\\"\n]/g, (character) => escapes[character]!);
