import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { toast } from "../../ui/alert.tsx";
import { SnoozeIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { useEndEntries } from "../silences/end-entries.tsx";
import { useUndo } from "../../app/undo.ts";
import { useEndSnoozeMutation, useSnoozeMutation } from "./api.ts";

type SnoozeMenuProps = { incident: Pick<Incident, "id" | "closedAt" | "snoozedUntil">; className?: string };

export function SnoozeMenu({ incident: { id, closedAt, snoozedUntil }, className }: SnoozeMenuProps) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const { mayChange } = useSession();
  const [snooze, { isLoading }] = useSnoozeMutation();
  const [endSnooze] = useEndSnoozeMutation();
  const entries = useEndEntries(t("quiet.snoozeNote"), async (end, words) => {
    const { error } = await snooze({ id, end });
    if (error !== undefined) return toast("error", errorText(error, "snooze"));
    const undo = () => (snoozedUntil === undefined ? endSnooze({ id }) : snooze({ id, end: { until: snoozedUntil } }));
    offerUndo(t("quiet.snoozed", { end: words }), undo, "endSnooze");
  });
  if (!mayChange || closedAt !== undefined) return null;
  return (
    <Menu entries={entries} saving={isLoading} className={className}>
      <SnoozeIcon />
      {t("quiet.snooze")}
    </Menu>
  );
}
