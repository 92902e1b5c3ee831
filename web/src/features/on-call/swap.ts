import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useUndo } from "../../app/undo.ts";
import { toast } from "../../ui/alert.tsx";
import { useAddOverrideMutation, useRemoveOverrideMutation } from "./api.ts";

const maxOverrideMs = 30 * 86_400_000;

type Span = { start: string; end: string };
type Swap = Span & { userId: number };

/** Puts users on call by overrides, and offers to undo it. Only the time that remains can change. */
export function useSwap(scheduleId: number) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const [add, { isLoading: isAdding }] = useAddOverrideMutation();
  const [remove, { isLoading: isRemoving }] = useRemoveOverrideMutation();

  const put = ({ userId, start, end }: Swap) => {
    const fromMs = Math.max(Date.now(), Date.parse(start));
    const toMs = Math.min(Date.parse(end), fromMs + maxOverrideMs);
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    return add({ id: scheduleId, body: { userId, start: from, end: to } });
  };
  return {
    isSaving: isAdding || isRemoving,
    async give(swap: Swap, name: string): Promise<void> {
      const { data, error } = await put(swap);
      if (error !== undefined) return void toast("error", errorText(error, "changeShift"));
      const undo = () => remove({ id: scheduleId, overrideId: data.override.id });
      offerUndo(t("onCall.given", { name }), undo, "changeShift");
    },
    async end(override: Swap & { id: number }): Promise<void> {
      const { error } = await remove({ id: scheduleId, overrideId: override.id });
      if (error !== undefined) return void toast("error", errorText(error, "changeShift"));
      offerUndo(t("onCall.overrideDeleted"), () => put(override), "changeShift");
    },
  };
}
