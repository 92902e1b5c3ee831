import { useTranslation } from "react-i18next";
import { toast } from "../ui/alert.tsx";
import { errorText, type Fallback } from "./errors.ts";

type Call = () => PromiseLike<{ error?: unknown }>;

/** Says what was done, and offers for ten seconds to take it back by the inverse call. Answers what ends the offer earlier. */
export function useUndo() {
  const { t } = useTranslation();
  return (text: string, undo: Call, fallback: Fallback = "unknown") => {
    async function run() {
      const { error } = await undo();
      if (error === undefined) toast("info", t("common.undone"));
      else toast("error", errorText(error, fallback));
    }
    return toast("success", text, { label: t("common.undo"), run: () => void run() });
  };
}
