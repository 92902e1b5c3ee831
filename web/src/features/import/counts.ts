import type { WillEntry } from "@sonde/proto/http/import";
import type { TFunction } from "i18next";

const counted = ["monitor", "group", "channel", "template", "settings"] as const;

/** `12 monitors, 2 channels`; empty of nothing. */
export function countsOf(entries: readonly WillEntry[], t: TFunction, language: string): string {
  const parts = counted.flatMap((type) => {
    const count = entries.filter((entry) => entry.type === type).length;
    return count === 0 ? [] : [t(`importing.plan.counts.${type}`, { count })];
  });
  return new Intl.ListFormat(language, { type: "conjunction" }).format(parts);
}
