import { useTranslation } from "react-i18next";

export type BulkFailure = { name?: string | undefined; message: string };

const maxNames = 5;

/** Returns a function that names the monitors of a bulk change that failed, by reason. `null` if none failed. */
export function useFailureText() {
  const { t, i18n } = useTranslation();
  return (failures: readonly BulkFailure[]): string | null => {
    if (failures.length === 0) return null;
    const parts = [...Map.groupBy(failures, ({ message }) => message)].map(([reason, alike]) => {
      const names = alike.flatMap(({ name }) => name ?? []);
      if (names.length === 0) return reason;
      const others = names.length - maxNames;
      const more = others > 0 ? [t("monitors.bulk.others", { count: others })] : [];
      const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
      return t("monitors.bulk.failedNames", { names: list.format([...names.slice(0, maxNames), ...more]), reason });
    });
    return t("monitors.bulk.failed", { count: failures.length, reason: parts.join(" · ") });
  };
}
