import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useUndo } from "../../../app/undo.ts";
import { useEndSilenceMutation, useSilenceMutation } from "../../../entities/silences/api.ts";
import { useEndEntries } from "../../../entities/silences/end-entries.tsx";
import { SilentIcon } from "../../../ui/icons.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import { type BulkFailure, useFailureText } from "../bulk-failures.ts";

type BulkSilenceProps = {
  monitors: readonly Monitor[];
  disabled: boolean;
  onChanged: (ids: readonly number[], failure: string | null) => void;
};

/** Silences each of the monitors. One undo ends all the silences. */
export function BulkSilence({ monitors, disabled, onChanged }: BulkSilenceProps) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const failureText = useFailureText();
  const [silence] = useSilenceMutation();
  const [endSilence] = useEndSilenceMutation();
  const [saving, setSaving] = useState(false);
  const name = t("monitorList.tags.count", { count: monitors.length });
  const entries = useEndEntries(t("quiet.silenceNote", { name }), async (end, words) => {
    setSaving(true);
    const answers = await Promise.all(
      monitors.map(async ({ id, name: own }) => ({
        id,
        own,
        ...(await silence({ target: { type: "monitor", id }, ...end })),
      })),
    );
    setSaving(false);
    const done = answers.flatMap(({ id, data }) => (data === undefined ? [] : { id, silence: data.silence.id }));
    const failures = answers.flatMap(({ own, error }): BulkFailure[] =>
      error === undefined ? [] : [{ name: own, message: errorText(error, "silence") }],
    );
    const undo = done.map(
      ({ silence: id }) =>
        () =>
          endSilence(id),
    );
    if (done.length > 0) offerUndo(t("monitorList.silenced", { count: done.length, end: words }), undo, "endSilence");
    onChanged(
      done.map(({ id }) => id),
      failureText(failures),
    );
  });
  return (
    <Menu size="sm" entries={entries} saving={saving} disabled={disabled}>
      <SilentIcon />
      {t("quiet.silence")}
    </Menu>
  );
}
