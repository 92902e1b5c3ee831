import { setImmediate } from "node:timers/promises";

/** The labels of a series as the format has them, and its value. */
export type Series = readonly [labels: string, value: number];
export type Family = { name: string; help: string; series: Iterable<Series> };

export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const textType = "text/plain; version=0.0.4; charset=utf-8";

export const openMetricsEnd = "# EOF\n";

/**
 * Gauges in Prometheus' text format, which of gauges is OpenMetrics too but for its end
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export async function writeText(families: readonly Family[]): Promise<string> {
  const parts: string[] = [];
  for (const { name, help, series } of families) {
    // Each family is joined by itself: a list of all lines would outlive many collections of garbage.
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`];
    for (const [labels, value] of series) lines.push(`${name}{${labels}} ${value}`);
    parts.push(`${lines.join("\n")}\n`);
    // Of very many monitors each takes milliseconds: other requests are answered between them.
    await setImmediate();
  }
  return parts.join("");
}

export function labelText(labels: Readonly<Record<string, string | number>>): string {
  const texts: string[] = [];
  for (const name of Object.keys(labels)) texts.push(`${name}="${escape(String(labels[name]))}"`);
  // In one piece, and so written once for all series of an item.
  return texts.join(",");
}

const special = /[\\"\n]/;
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escape = (text: string) =>
  special.test(text) ? text.replace(/[\\"\n]/g, (character) => escapes[character]!) : text;
