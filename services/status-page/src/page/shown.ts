import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { TargetType, TargetRef } from "@sonde/proto/http/monitors/targets";

/** The page's names of its targets. */
export type DisplayNames = {
  /** Null: the page does not show it, or it is not there. */
  of(type: TargetType, id: number): string | null;
};

/** The configured targets of the page, in order; some may have been deleted since. */
export const shownTargets = ({ monitors, agents }: StatusConfig): TargetRef[] => [
  ...monitors.map((id) => ({ type: "monitor" as const, id })),
  ...agents.map((id) => ({ type: "agent" as const, id })),
];

/** Names by which the page shows its targets: those of the configuration, else their own; null: it is not known. */
export function displayNames(
  config: StatusConfig,
  ownName: (type: TargetType, id: number) => string | null,
): DisplayNames {
  const shown = new Set(shownTargets(config).map(keyOf));
  const given = new Map(config.names.map((entry) => [keyOf(entry), entry.name]));
  return {
    of(type, id) {
      const key = keyOf({ type, id });
      if (!shown.has(key)) return null;
      const own = ownName(type, id);
      return own === null ? null : (given.get(key) ?? own);
    },
  };
}

export const keyOf = ({ type, id }: TargetRef): string => `${type}:${id}`;
