import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { type UndoCall, useUndo } from "../../app/undo.ts";
import { toast } from "../../ui/alert.tsx";
import { type BulkFilter, useBulkMonitorsMutation, usePreviewBulkMutation } from "./api.ts";

/** Which monitors a change of many means: some by id, or all that match. */
export type BulkTargets = { ids: number[] } | { filter: BulkFilter };
type Switching = { targets: BulkTargets; action: "pause" | "resume" };

const inverse = { pause: "resume", resume: "pause" } as const;
const past = { pause: "paused", resume: "resumed" } as const;
/** How many one request names. */
const maxIds = 1000;

// The dialog is loaded where there is something to ask.
const ConfirmDialog = lazy(async () => ({ default: (await import("../../ui/dialog.tsx")).ConfirmDialog }));

type Pausing = {
  /** Resolves once it is done, or once it is asked for. */
  switchTo: (action: Switching["action"], targets: BulkTargets) => Promise<void>;
  running: Switching["action"] | undefined;
  /** Asks, where a pause ends incidents: part of the page. */
  question: ReactNode;
};

/**
 * Pauses and resumes monitors. A pause that ends incidents asks first and says how many; what was done can be taken back
 * from its toast.
 * @param onDone takes the ids of those that are now as asked, and why others are not
 */
export function usePausing(onDone?: (ids: readonly number[], failure: string | null) => void): Pausing {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const [preview, { isLoading: isAsking }] = usePreviewBulkMutation();
  const [run, { isLoading, originalArgs }] = useBulkMonitorsMutation();
  const [asked, setAsked] = useState<{ targets: BulkTargets; incidents: number } | null>(null);

  async function perform({ targets, action }: Switching): Promise<void> {
    const { data, error } = await run({ ...targets, action });
    if (data === undefined) throw new Error(errorText(error, "updateMonitor"));
    const { done, failed, unchanged = [] } = data;
    const before = new Set(unchanged);
    const changed = done.filter((id) => !before.has(id));
    const words = t(`monitors.bulk.${past[action]}`, { count: done.length });
    offerUndo(words, callsFor(changed, inverse[action]), "updateMonitor");
    const [failure] = failed;
    onDone?.(
      done,
      failure === undefined ? null : t("monitors.bulk.failed", { count: failed.length, reason: failure.message }),
    );
  }
  /** By name, whatever matches a filter by now. */
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
        if (openIncidents > 0) return setAsked({ targets, incidents: openIncidents });
      }
      await perform({ targets, action });
    } catch (reason) {
      toast("error", (reason as Error).message);
    }
  }

  const [isWanted, setWanted] = useState(false);
  if (asked !== null && !isWanted) setWanted(true);
  const count = asked?.incidents ?? 1;
  const running = originalArgs?.action === "resume" ? "resume" : "pause";
  return {
    switchTo,
    running: isAsking ? "pause" : isLoading ? running : undefined,
    // Stays once it was opened: it gives the focus back as it closes.
    question: isWanted && (
      <Suspense>
        <ConfirmDialog
          open={asked !== null}
          onClose={() => setAsked(null)}
          title={t("monitors.pauseAsk.title", { count })}
          description={t("monitors.pauseAsk.text", { count })}
          confirmLabel={t("monitors.pause")}
          savingLabel={t("monitors.pausing")}
          onConfirm={async () => {
            if (asked !== null) await perform({ targets: asked.targets, action: "pause" });
          }}
        />
      </Suspense>
    ),
  };
}
