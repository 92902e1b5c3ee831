import { useTranslation } from "react-i18next";

/** What can be done with what is found. The English word finds it in every language. */
const verbIds = ["check", "pause", "resume", "silence", "edit", "acknowledge"] as const;
type VerbId = (typeof verbIds)[number];
export type Verb = { id: VerbId; label: string };

export function useVerbs(): Verb[] {
  const { t } = useTranslation();
  return verbIds.map((id) => ({ id, label: t(`palette.verbs.${id}`) }));
}

const fewestLetters = 3;

/** The verb that a text begins with, and the text after it; null where it begins with none. */
export function readVerb(text: string, verbs: readonly Verb[]): { id: VerbId; rest: string } | null {
  const [first = ""] = text.toLowerCase().split(/\s/);
  for (const { id, label } of verbs) {
    const own = label.toLowerCase();
    // Chinese sets no space after it.
    if (text.toLowerCase().startsWith(own)) return { id, rest: text.slice(own.length).trim() };
    if (first.length >= fewestLetters && id.startsWith(first)) return { id, rest: text.slice(first.length).trim() };
  }
  return null;
}
