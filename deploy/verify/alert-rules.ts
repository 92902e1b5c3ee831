import { parse } from "yaml";

/** An alert or a recording rule of Prometheus. */
export type AlertRule = {
  alert: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

/** The alerts of a file of rule groups; none of an empty one. */
export function alertRules(text: string): AlertRule[] {
  const file = parse(text) as { groups?: { rules: AlertRule[] }[] } | null;
  return (file?.groups ?? []).flatMap(({ rules }) => rules);
}

/** The metrics that a query names, as their registries name them: without what a histogram adds. */
export function metricsIn(expr: string): string[] {
  const names = expr.match(/\b(?:sonde|nodejs|process|kubelet|kube|container)_[a-z0-9_]+/g) ?? [];
  return [
    ...new Set(
      names.map((name) =>
        name.replace(/_seconds_(?:bucket|sum|count)$/, "_seconds").replace(/_rows_(?:bucket|sum|count)$/, "_rows"),
      ),
    ),
  ];
}
