import { useTranslation } from "react-i18next";
import { toast } from "../ui/alert.tsx";
import { errorText, type Fallback } from "./errors.ts";

export type UndoCall = () => PromiseLike<{ error?: unknown }>;

/**
 * Returns a function that announces what was done and offers to undo it for ten seconds. Undo runs the inverse calls in
 * order, up to the first that fails. Without inverse calls there is no offer. The result withdraws the offer early.
 */
export function useUndo() {
  const { t } = useTranslation();
  return (text: string, undo: UndoCall | readonly UndoCall[], fallback: Fallback = "unknown") => {
    const calls = typeof undo === "function" ? [undo] : undo;
    if (calls.length === 0) return toast("info", text);
    async function run() {
      for (const call of calls) {
        const { error } = await call();
        if (error !== undefined) return void toast("error", errorText(error, fallback));
      }
      toast("info", t("common.undone"));
    }
    return toast("success", text, { label: t("common.undo"), run: () => void run() });
  };
}
