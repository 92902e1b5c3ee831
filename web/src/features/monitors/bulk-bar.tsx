import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, type Fallback } from "../../app/errors.ts";
import type { ListNotice } from "../../lists/use-list.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { PauseIcon, PlayIcon, TrashIcon } from "../../ui/icons.tsx";
import { type BulkAction, useBulkMonitorsMutation } from "./api.ts";

type BulkBarProps = { ids: readonly number[]; onDone: () => void; onNotice: (notice: ListNotice) => void };

const fallbacks: Record<BulkAction, Fallback> = { pause: "updateMonitor", resume: "updateMonitor", delete: "deletion" };

/** What can be done with the chosen monitors together. */
export function BulkBar({ ids, onDone, onNotice }: BulkBarProps) {
  const { t } = useTranslation();
  const [run, { isLoading, originalArgs }] = useBulkMonitorsMutation();
  const [asking, setAsking] = useState(false);
  const running = isLoading ? originalArgs?.action : undefined;
  const past = { pause: "paused", resume: "resumed", delete: "deleted" } as const;

  async function perform(action: BulkAction) {
    const { data, error } = await run({ ids: [...ids], action });
    if (data === undefined) throw new Error(errorText(error, fallbacks[action]));
    const parts: string[] = [t(`monitors.bulk.${past[action]}`, { count: data.done.length })];
    const [failure] = data.failed;
    if (failure !== undefined)
      parts.push(t("monitors.bulk.failed", { count: data.failed.length, reason: failure.message }));
    onNotice({ kind: failure === undefined ? "success" : "error", text: parts.join(" · ") });
    onDone();
  }
  const performNow = (action: BulkAction) =>
    void perform(action).catch((reason: Error) => onNotice({ kind: "error", text: reason.message }));

  return (
    <div className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-4 py-2">
      <span role="status" className="tnum mr-2 font-medium">
        {t("monitors.selected", { count: ids.length })}
      </span>
      <Button
        size="sm"
        disabled={isLoading}
        saving={running === "pause"}
        savingLabel={t("monitors.pausing")}
        onClick={() => performNow("pause")}
      >
        <PauseIcon />
        {t("monitors.pause")}
      </Button>
      <Button
        size="sm"
        disabled={isLoading}
        saving={running === "resume"}
        savingLabel={t("monitors.resuming")}
        onClick={() => performNow("resume")}
      >
        <PlayIcon />
        {t("monitors.resume")}
      </Button>
      <Button size="sm" disabled={isLoading} onClick={() => setAsking(true)}>
        <TrashIcon />
        {t("common.delete")}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t("monitors.remove.manyTitle")}
        description={t("monitors.remove.many", { count: ids.length })}
        confirmLabel={t("common.delete")}
        savingLabel={t("common.deleting")}
        onConfirm={() => perform("delete")}
      />
    </div>
  );
}
