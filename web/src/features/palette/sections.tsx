import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { recentPages } from "../../app/keyboard/recent-pages.ts";
import { useSettled } from "../../lib/hooks.ts";
import { PendingIcon } from "../../ui/icons.tsx";
import { pageActions, type PaletteCommand, type Section, useActions, useLinks, usePages } from "./commands.tsx";
import { useFound } from "./found.tsx";

const waitMs = 150;
const maxSearchLength = 200;
const maxDone = 12;

/**
 * What a text finds: what the page below offers, pages that were opened before, what the server finds with what can be
 * done with it, pages, and actions. A text that begins with a verb (`pause shop`) does it to what the rest finds. With
 * `of` it is what can be done with that command's thing.
 */
export function useSections(text: string, of: PaletteCommand | null) {
  const { t } = useTranslation();
  const { status, user } = useSession();
  const link = useLinks();
  const verbs = useVerbs();
  const [ofPage] = useState(pageActions);
  const verb = readVerb(text, verbs);
  const wanted = (verb?.rest || text).slice(0, maxSearchLength);
  const asked = useSettled(wanted, waitMs);
  const isSearch = status === "authenticated" && of === null && text !== "";
  const search = useFound(isSearch ? asked : "");
  // Until the answer is here, what was found before is narrowed: Enter takes what matches, and never anything else.
  const isCurrent = asked === wanted;
  const found = isCurrent
    ? search.sections
    : search.sections.map((section) => ({ ...section, commands: section.commands.filter(isMatch) }));
  const pages = usePages();
  const actions = useActions();
  const recent = recentPages(user?.id).map(({ name, to }) => link(`recent ${to}`, <PendingIcon />, name, to));
  const sections: Section[] =
    of !== null
      ? [{ id: "of", title: of.label, commands: of.actions?.filter(matches) ?? [] }]
      : [
          { id: "here", title: t("palette.here"), commands: ofPage.filter(matches) },
          { id: "recent", title: t("palette.recent"), commands: recent.filter(matches) },
          { id: "verb", title: t("palette.actions"), commands: verb === null ? [] : done(verb.id) },
          ...found,
          { id: "pages", title: t("palette.pages"), commands: pages.filter(matches) },
          { id: "actions", title: t("palette.actions"), commands: actions.filter(matches) },
        ];
  function isMatch({ label }: PaletteCommand): boolean {
    return label.toLowerCase().includes(wanted.toLowerCase());
  }
  function matches({ id, label }: PaletteCommand): boolean {
    const known = `${label} ${id}`.toLowerCase();
    const words = text.toLowerCase().split(/\s+/);
    return words.every((word) => known.includes(word));
  }
  /** One thing that can be done, for each that was found. */
  function done(verbId: string): PaletteCommand[] {
    const all = found.flatMap(({ commands }) =>
      commands.flatMap(({ label, note, actions: own = [] }) =>
        own
          .filter(({ id }) => id.startsWith(`${verbId} `))
          .map((action) => ({ ...action, label: `${action.label}: ${label}`, note })),
      ),
    );
    return all.slice(0, maxDone);
  }
  return {
    sections: sections.filter(({ commands }) => commands.length > 0),
    isSearching: isSearch && (!isCurrent || search.isFetching),
    fault: search.fault,
  };
}

/** What can be done with what is found. The English word finds it in every language. */
const verbIds = ["check", "pause", "resume", "silence", "edit", "acknowledge"] as const;
type VerbId = (typeof verbIds)[number];
type Verb = { id: VerbId; label: string };

function useVerbs(): Verb[] {
  const { t } = useTranslation();
  return verbIds.map((id) => ({ id, label: t(`palette.verbs.${id}`) }));
}

const fewestLetters = 3;

/** The verb that a text begins with, and the text after it; null where it begins with none. */
function readVerb(text: string, verbs: readonly Verb[]): { id: VerbId; rest: string } | null {
  const [first = ""] = text.toLowerCase().split(/\s/);
  for (const { id, label } of verbs) {
    const own = label.toLowerCase();
    // Chinese sets no space after it.
    if (text.toLowerCase().startsWith(own)) return { id, rest: text.slice(own.length).trim() };
    if (first.length >= fewestLetters && id.startsWith(first)) return { id, rest: text.slice(first.length).trim() };
  }
  return null;
}
