import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { type UndoCall, useUndo } from "../../../app/undo.ts";
import { useEndSilenceMutation, useSilenceMutation } from "../../../entities/silences/api.ts";
import { useEndEntries } from "../../../entities/silences/end-entries.tsx";
import { SilentIcon } from "../../../ui/icons.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import { type BulkFailure, useFailureText } from "../bulk-failures.ts";

/** Maximum parallel requests of a change that needs one for each monitor. */
const atOnce = 6;

export async function inParallel<Item>(items: readonly Item[], run: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await run(item);
    }),
  );
}

type BulkSilenceProps = {
  monitors: readonly Monitor[];
  disabled: boolean;
  onChanged: (ids: readonly number[], failure: string | null) => void;
};

/** Silences each monitor. One undo ends all the silences. */
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
    const done: number[] = [];
    const undo: UndoCall[] = [];
    const failures: BulkFailure[] = [];
    await inParallel(monitors, async ({ id, name: own }) => {
      const { data, error } = await silence({ target: { type: "monitor", id }, ...end });
      if (data === undefined) return failures.push({ name: own, message: errorText(error, "silence") });
      done.push(id);
      undo.push(() => endSilence(data.silence.id));
    });
    setSaving(false);
    if (done.length > 0) offerUndo(t("monitorList.silenced", { count: done.length, end: words }), undo, "endSilence");
    onChanged(done, failureText(failures));
  });
  return (
    <Menu size="sm" entries={entries} saving={saving} disabled={disabled}>
      <SilentIcon />
      {t("quiet.silence")}
    </Menu>
  );
}
