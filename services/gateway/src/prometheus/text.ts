import { setImmediate } from "node:timers/promises";

export type Series = readonly [labels: string, value: number];
export type Family = { name: string; help: string; series: Iterable<Series> };

export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const textType = "text/plain; version=0.0.4; charset=utf-8";

export const openMetricsEnd = "# EOF\n";

/**
 * For gauges, differs from OpenMetrics only in the end marker
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export async function writeText(families: readonly Family[]): Promise<string> {
  const parts: string[] = [];
  for (const { name, help, series } of families) {
    // Joined per family: one list of all lines would survive many garbage collections.
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`];
    for (const [labels, value] of series) lines.push(`${name}{${labels}} ${value}`);
    parts.push(`${lines.join("\n")}\n`);
    // A family can take milliseconds; yield to other requests in between.
    await setImmediate();
  }
  return parts.join("");
}

export function labelText(labels: Readonly<Record<string, string | number>>): string {
  const texts: string[] = [];
  for (const name of Object.keys(labels)) texts.push(`${name}="${escape(String(labels[name]))}"`);
  return texts.join(",");
}

const special = /[\\"\n]/;
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escape = (text: string) =>
  special.test(text) ? text.replace(/[\\"\n]/g, (character) => escapes[character]!) : text;
