import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { type UndoCall, useUndo } from "../../app/undo.ts";
import { toast } from "../../ui/alert.tsx";
import { type BulkFilter, useBulkMonitorsMutation, usePreviewBulkMutation } from "./api.ts";
import { useFailureText } from "./bulk-failures.ts";

/** Targets of a bulk change: ids, or all matches of a filter. */
export type BulkTargets = { ids: number[] } | { filter: BulkFilter };
type Switching = { targets: BulkTargets; action: "pause" | "resume" };

const inverse = { pause: "resume", resume: "pause" } as const;
const past = { pause: "paused", resume: "resumed" } as const;
const maxIds = 1000;

// Loaded only when there is something to confirm.
const ConfirmDialog = lazy(async () => ({ default: (await import("../../ui/dialog.tsx")).ConfirmDialog }));

type Pausing = {
  /** Resolves when the change is done or a confirmation is needed. */
  switchTo: (action: Switching["action"], targets: BulkTargets) => Promise<void>;
  running: Switching["action"] | undefined;
  /** Confirmation of a pause that ends incidents. Render it in the page. */
  question: ReactNode;
};

/**
 * Pauses and resumes monitors. A pause that ends incidents needs a confirmation, which shows their number. The toast
 * offers an undo.
 * @param onDone called with the ids of the changed monitors and why others failed
 */
export function usePausing(onDone?: (ids: readonly number[], failure: string | null) => void): Pausing {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const failureText = useFailureText();
  const [preview, { isLoading: isAsking }] = usePreviewBulkMutation();
  const [run, { isLoading, originalArgs }] = useBulkMonitorsMutation();
  const [pending, setPending] = useState<{ targets: BulkTargets; incidents: number } | null>(null);

  async function perform({ targets, action }: Switching): Promise<void> {
    const { data, error } = await run({ ...targets, action });
    if (data === undefined) throw new Error(errorText(error, "updateMonitor"));
    const { done, failed, unchanged = [] } = data;
    const before = new Set(unchanged);
    const changed = done.filter((id) => !before.has(id));
    const words = t(`monitors.bulk.${past[action]}`, { count: done.length });
    offerUndo(words, callsFor(changed, inverse[action]), "updateMonitor");
    onDone?.(done, failureText(failed));
  }
  /** Undoes by id, because a filter may match other monitors by then. */
  function callsFor(ids: readonly number[], action: Switching["action"]): UndoCall[] {
    return Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, part) => {
      const named = ids.slice(part * maxIds, (part + 1) * maxIds);
      return () => run({ ids: named, action });
    });
  }
  async function switchTo(action: Switching["action"], targets: BulkTargets): Promise<void> {
    try {
      if (action === "pause") {
        const { data, error } = await preview({ ...targets, action });
        if (data === undefined) throw new Error(errorText(error, "updateMonitor"));
        const { openIncidents = 0 } = data;
        if (openIncidents > 0) return setPending({ targets, incidents: openIncidents });
      }
      await perform({ targets, action });
    } catch (reason) {
      toast("error", (reason as Error).message);
    }
  }

  const [wasOpened, setWasOpened] = useState(false);
  if (pending !== null && !wasOpened) setWasOpened(true);
  const count = pending?.incidents ?? 1;
  const running = originalArgs?.action === "resume" ? "resume" : "pause";
  return {
    switchTo,
    running: isAsking ? "pause" : isLoading ? running : undefined,
    // Stays mounted after the first opening, so that it can restore the focus when it closes.
    question: wasOpened && (
      <Suspense>
        <ConfirmDialog
          open={pending !== null}
          onClose={() => setPending(null)}
          title={t("monitors.pauseAsk.title", { count })}
          description={t("monitors.pauseAsk.text", { count })}
          confirmLabel={t("monitors.pause")}
          savingLabel={t("monitors.pausing")}
          onConfirm={async () => {
            if (pending !== null) await perform({ targets: pending.targets, action: "pause" });
          }}
        />
      </Suspense>
    ),
  };
}
