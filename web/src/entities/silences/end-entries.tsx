import { useTranslation } from "react-i18next";
import type { MenuEntry } from "../../ui/menu/entries.ts";
import { endsFrom, type QuietEnd } from "./ends.ts";

export function useEndEntries(note: string, onPick: (end: QuietEnd, words: string) => unknown): MenuEntry[] {
  const { t } = useTranslation();
  return [
    { kind: "label", content: <span className="block max-w-64">{note}</span> },
    ...endsFrom(Date.now()).map(({ name, end }): MenuEntry => {
      const words = t(`quiet.ends.${name}`);
      return { kind: "action", label: words, onSelect: () => void onPick(end, t(`quiet.span.${name}`)) };
    }),
  ];
}
