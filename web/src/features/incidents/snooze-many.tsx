import { useTranslation } from "react-i18next";
import { useChangeMany } from "../../entities/incidents/bulk.ts";
import { useEndEntries } from "../../entities/silences/end-entries.tsx";
import { SnoozeIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";

type SnoozeManyProps = { ids: readonly string[]; onSnoozed: (ids: readonly string[]) => void };

export function SnoozeMany({ ids, onSnoozed }: SnoozeManyProps) {
  const { t } = useTranslation();
  const [changeMany, isLoading] = useChangeMany("snooze", "unsnooze");
  const entries = useEndEntries(t("incidentList.snoozeNote"), async (end, words) => {
    const wordsOf = (count: number) => t("incidentList.snoozedMany", { count, end: words });
    onSnoozed(await changeMany(ids, { action: "snooze", ...end }, wordsOf));
  });
  return (
    <Menu size="sm" entries={entries} saving={isLoading}>
      <SnoozeIcon />
      {t("quiet.snooze")}
    </Menu>
  );
}
