import { useTranslation } from "react-i18next";

/** Makes what a button or a link needs to be pressed by a letter (`app/keyboard/keys.ts`), and to say so in its tooltip. */
export function useHotkeys() {
  const { t } = useTranslation();
  return (letter: string) => {
    const key = letter.toUpperCase();
    return { "aria-keyshortcuts": key, title: t("common.hotkey", { key }) };
  };
}
