import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import type { ListNotice } from "../../../lists/use-list.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { isPassive } from "../../../ui/health/schedule.ts";
import { EditIcon, PauseIcon, PlayIcon, RefreshIcon, TrashIcon } from "../../../ui/icons.tsx";
import { type BulkFilter, useBulkMonitorsMutation } from "../api.ts";
import { useFailureText } from "../bulk-failures.ts";
import { type BulkTargets, usePausing } from "../pause.tsx";
import { BulkSilence } from "./bulk-silence.tsx";
import { maxChecked, useCheckNow } from "./check-now.ts";
import type { ListSelection } from "./selection.ts";

type BulkBarProps = {
  className: string;
  chosen: ListSelection;
  monitors: readonly Monitor[];
  filter: BulkFilter;
  total: number;
  onSelectAll: () => void;
  onClear: () => void;
  /** Called with the ids of the changed monitors, and why others failed. */
  onChanged: (ids: readonly number[], failure: string | null) => void;
  onNotice: (notice: ListNotice) => void;
};

const BulkEdit = lazy(() => import("./bulk-edit.tsx"));

export default function BulkBar(props: BulkBarProps) {
  const { className, chosen, monitors, filter, total, onSelectAll, onClear, onChanged, onNotice } = props;
  const { t } = useTranslation();
  const failureText = useFailureText();
  const [run, { isLoading: isDeleting }] = useBulkMonitorsMutation();
  const [asking, setAsking] = useState(false);
  const [editing, setEditing] = useState(false);
  const changed = (ids: readonly number[], failure: string | null) => {
    onChanged(ids, failure);
    leave();
  };
  const pausing = usePausing(changed);
  const [checkNow, isChecking] = useCheckNow();
  const { running } = pausing;
  const isBusy = isDeleting || running !== undefined;
  const count = chosen.all ? total : chosen.ids.length;
  const selected = monitors.filter(({ id }) => chosen.ids.includes(id));
  const checked = selected.filter(({ type }) => !isPassive(type));
  const targets: BulkTargets = chosen.all ? { filter } : { ids: [...chosen.ids] };

  /** The bar disappears with the selection, so the page takes the focus. */
  function leave() {
    document.getElementById("content")?.focus({ preventScroll: true });
    onClear();
  }
  async function remove() {
    // Deletion cannot be undone. `atMost` rejects it if more monitors match than the user saw.
    const { data, error } = await run({ ...targets, action: "delete", ...(chosen.all ? { atMost: total } : {}) });
    if (data === undefined) throw new Error(errorText(error, "deletion"));
    const done = t("monitors.bulk.deleted", { count: data.done.length });
    const failure = failureText(data.failed);
    onNotice(failure === null ? { kind: "success", text: done } : { kind: "error", text: `${done} · ${failure}` });
    leave();
  }

  return (
    <div className={cx("flex flex-wrap items-center gap-2 px-4 py-2 lg:flex-nowrap lg:px-2 lg:py-0", className)}>
      <span role="status" className="tnum mr-2 font-medium">
        {t(chosen.all ? "monitorList.matching.selected" : "monitors.selected", { count })}
      </span>
      {(["pause", "resume"] as const).map((action) => (
        <Button
          key={action}
          size="sm"
          disabled={isBusy && running !== action}
          saving={running === action}
          savingLabel={t(action === "pause" ? "monitors.pausing" : "monitors.resuming")}
          onClick={() => void pausing.switchTo(action, targets)}
        >
          {action === "pause" ? <PauseIcon /> : <PlayIcon />}
          {t(`monitors.${action}`)}
        </Button>
      ))}
      {!chosen.all && count <= maxChecked && checked.length > 0 && (
        <Button
          size="sm"
          saving={isChecking}
          savingLabel={t("monitor.checking")}
          onClick={() => void checkNow(checked)}
        >
          <RefreshIcon />
          {t("monitor.checkNow")}
        </Button>
      )}
      {!chosen.all && <BulkSilence monitors={selected} disabled={isBusy} onChanged={changed} />}
      <Button size="sm" disabled={isBusy} onClick={() => setEditing(true)}>
        <EditIcon />
        {t("common.edit")}
      </Button>
      <Button size="sm" disabled={isBusy} onClick={() => setAsking(true)}>
        <TrashIcon />
        {t("common.delete")}
      </Button>
      {/* Selecting monitors of other pages, which the user does not see, needs a second click. */}
      {chosen.all ? (
        <Button size="sm" variant="ghost" disabled={isBusy} onClick={leave}>
          {t("monitorList.matching.clear")}
        </Button>
      ) : (
        total > count && (
          <Button size="sm" variant="ghost" disabled={isBusy} onClick={onSelectAll}>
            {t("monitorList.matching.select", { count: total })}
          </Button>
        )
      )}
      {pausing.question}
      {editing && (
        <Suspense>
          <BulkEdit
            targets={targets}
            monitors={monitors}
            count={count}
            onClose={() => setEditing(false)}
            onChanged={changed}
          />
        </Suspense>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t("monitors.remove.manyTitle")}
        description={t("monitors.remove.many", { count })}
        confirmLabel={t("common.delete")}
        savingLabel={t("common.deleting")}
        onConfirm={remove}
      />
    </div>
  );
}
