import { useTranslation } from "react-i18next";

/** Returns props that let a letter press a button or link (`app/keyboard/keys.ts`), and show this in its tooltip. */
export function useHotkeys() {
  const { t } = useTranslation();
  return (letter: string) => {
    const key = letter.toUpperCase();
    return { "aria-keyshortcuts": key, title: t("common.hotkey", { key }) };
  };
}
