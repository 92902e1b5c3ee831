import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, type Fallback } from "../../../app/errors.ts";
import type { ListNotice } from "../../../lists/use-list.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { PauseIcon, PlayIcon, TrashIcon } from "../../../ui/icons.tsx";
import { type BulkAction, type BulkFilter, useBulkMonitorsMutation } from "../api.ts";
import type { ListSelection } from "./list-screen.tsx";

type BulkBarProps = {
  chosen: ListSelection;
  filter: BulkFilter;
  total: number;
  onSelectAll: () => void;
  onClear: () => void;
  onNotice: (notice: ListNotice) => void;
  className: string;
};

const fallbacks: Record<BulkAction, Fallback> = { pause: "updateMonitor", resume: "updateMonitor", delete: "deletion" };

/** What can be done with the chosen monitors together: those of the page, or all that match. */
export default function BulkBar(props: BulkBarProps) {
  const { chosen, filter, total, onSelectAll, onClear, onNotice, className } = props;
  const { t } = useTranslation();
  const [run, { isLoading, originalArgs }] = useBulkMonitorsMutation();
  const [asking, setAsking] = useState(false);
  const running = isLoading ? originalArgs?.action : undefined;
  const past = { pause: "paused", resume: "resumed", delete: "deleted" } as const;
  const count = chosen.all ? total : chosen.ids.length;

  /** The bar is removed with what was chosen: the page itself takes the focus. */
  function leave() {
    document.getElementById("content")?.focus({ preventScroll: true });
    onClear();
  }
  async function perform(action: BulkAction) {
    // What cannot be undone is done to as many as its reader saw, however many match by now.
    const matching = action === "delete" ? { filter, action, atMost: total } : { filter, action };
    const { data, error } = await run(chosen.all ? matching : { ids: [...chosen.ids], action });
    if (data === undefined) throw new Error(errorText(error, fallbacks[action]));
    const parts: string[] = [t(`monitors.bulk.${past[action]}`, { count: data.done.length })];
    const [failure] = data.failed;
    if (failure !== undefined)
      parts.push(t("monitors.bulk.failed", { count: data.failed.length, reason: failure.message }));
    onNotice({ kind: failure === undefined ? "success" : "error", text: parts.join(" · ") });
    leave();
  }
  const performNow = (action: BulkAction) =>
    void perform(action).catch((reason: Error) => onNotice({ kind: "error", text: reason.message }));

  return (
    <div className={cx("flex min-h-12 flex-wrap items-center gap-2 border-line bg-accent-soft px-4 py-2", className)}>
      <span role="status" className="tnum mr-2 font-medium">
        {t(chosen.all ? "monitorList.matching.selected" : "monitors.selected", { count })}
      </span>
      {(["pause", "resume"] as const).map((action) => (
        <Button
          key={action}
          size="sm"
          disabled={isLoading && running !== action}
          saving={running === action}
          savingLabel={t(action === "pause" ? "monitors.pausing" : "monitors.resuming")}
          onClick={() => performNow(action)}
        >
          {action === "pause" ? <PauseIcon /> : <PlayIcon />}
          {t(`monitors.${action}`)}
        </Button>
      ))}
      <Button size="sm" disabled={isLoading} onClick={() => setAsking(true)}>
        <TrashIcon />
        {t("common.delete")}
      </Button>
      {/* Other pages hold more: those cannot be seen, so choosing them takes a click of its own. */}
      {chosen.all ? (
        <Button size="sm" variant="ghost" disabled={isLoading} onClick={leave}>
          {t("monitorList.matching.clear")}
        </Button>
      ) : (
        total > count && (
          <Button size="sm" variant="ghost" disabled={isLoading} onClick={onSelectAll}>
            {t("monitorList.matching.select", { count: total })}
          </Button>
        )
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t("monitors.remove.manyTitle")}
        description={t("monitors.remove.many", { count })}
        confirmLabel={t("common.delete")}
        savingLabel={t("common.deleting")}
        onConfirm={() => perform("delete")}
      />
    </div>
  );
}
