import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useUndo } from "../../app/undo.ts";
import { formatDateTime } from "../../lib/format.ts";
import { toast } from "../../ui/alert.tsx";
import { useAddOverrideMutation, useRemoveOverrideMutation } from "./api.ts";

const maxOverrideMs = 30 * 86_400_000;

type Span = { start: string; end: string };
type Swap = Span & { userId: number };

/** The part of a shift that an override can cover: what remains of it, at most 30 days. */
export function coverOf({ start, end }: Span): { fromMs: number; toMs: number; isCut: boolean } {
  const fromMs = Math.max(Date.now(), Date.parse(start));
  const toMs = Math.min(Date.parse(end), fromMs + maxOverrideMs);
  return { fromMs, toMs, isCut: toMs < Date.parse(end) };
}

/** Puts users on call by overrides, and offers to undo it. Only the time that remains can change. */
export function useSwap(scheduleId: number) {
  const { t, i18n } = useTranslation();
  const offerUndo = useUndo();
  const [add, { isLoading: isAdding }] = useAddOverrideMutation();
  const [remove, { isLoading: isRemoving }] = useRemoveOverrideMutation();

  const put = ({ userId, ...span }: Swap) => {
    const { fromMs, toMs } = coverOf(span);
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    return add({ id: scheduleId, body: { userId, start: from, end: to } });
  };
  return {
    isSaving: isAdding || isRemoving,
    async give(swap: Swap, name: string): Promise<void> {
      const { data, error } = await put(swap);
      if (error !== undefined) return void toast("error", errorText(error, "changeShift"));
      const undo = () => remove({ id: scheduleId, overrideId: data.override.id });
      const { isCut, toMs } = coverOf(swap);
      const until = formatDateTime(toMs, i18n.language);
      offerUndo(isCut ? t("onCall.givenUntil", { name, until }) : t("onCall.given", { name }), undo, "changeShift");
    },
    async end(override: Swap & { id: number }): Promise<void> {
      const { error } = await remove({ id: scheduleId, overrideId: override.id });
      if (error !== undefined) return void toast("error", errorText(error, "changeShift"));
      offerUndo(t("onCall.overrideDeleted"), () => put(override), "changeShift");
    },
  };
}
