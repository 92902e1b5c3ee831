import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { useIsAhead } from "../../lib/hooks.ts";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { SnoozeIcon } from "../../ui/icons.tsx";
import { Until } from "../../ui/until.tsx";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { QuietNote } from "../silences/quiet-note.tsx";
import { useEndSnoozeMutation } from "./api.ts";

type SnoozedNoteProps = { incident: Pick<Incident, "id" | "closedAt" | "snoozedUntil" | "snoozedBy"> };

export function SnoozedNote({ incident: { id, closedAt, snoozedUntil, snoozedBy } }: SnoozedNoteProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [endSnooze, { isLoading }] = useEndSnoozeMutation();
  const isAhead = useIsAhead(snoozedUntil);
  if (snoozedUntil === undefined || !isAhead || closedAt !== undefined) return null;
  async function end() {
    const { error } = await endSnooze({ id });
    if (error !== undefined) toast("error", errorText(error, "endSnooze"));
    else toast("info", t("quiet.snoozeEnded"));
  }
  return (
    <QuietNote
      icon={<SnoozeIcon />}
      action={
        mayChange && (
          <Button size="sm" saving={isLoading} onClick={() => void end()}>
            {t("quiet.endSnooze")}
          </Button>
        )
      }
    >
      {t("quiet.snoozedUntil")} <Until at={snoozedUntil} />
      {snoozedBy !== undefined && <> {t("quiet.snoozedBy", { name: snoozedBy })}</>}
    </QuietNote>
  );
}
