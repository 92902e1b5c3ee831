import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { recentPages } from "../../app/keyboard/recent-pages.ts";
import { useSettled } from "../../lib/hooks.ts";
import { PendingIcon } from "../../ui/icons.tsx";
import { pageActions, type PaletteCommand, type Section, useActions, useLinks, usePages } from "./commands.tsx";
import { useSearchResults } from "./search-results.tsx";

const waitMs = 150;
const maxSearchLength = 200;
const maxDone = 12;

/**
 * Searches for a text: actions of the current page, recent pages, search results with their actions, pages, and general
 * actions. A text that starts with a verb (`pause shop`) lists that action for each result of the rest. With `of`, only
 * that command's actions are searched.
 */
export function useSections(text: string, of: PaletteCommand | null) {
  const { t } = useTranslation();
  const { status, user } = useSession();
  const link = useLinks();
  const verbs = useVerbs();
  const [ofPage] = useState(pageActions);
  const verb = readVerb(text, verbs);
  const wanted = (verb?.rest || text).slice(0, maxSearchLength);
  const settled = useSettled(wanted, waitMs);
  const isSearch = status === "authenticated" && of === null && text !== "";
  const search = useSearchResults(isSearch ? settled : "");
  // Until the response arrives, previous results are filtered, so that Enter only ever runs a match.
  const isCurrent = settled === wanted;
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
          { id: "recent", title: t("palette.recent"), commands: recent.filter(matches).filter(isNoPage) },
          { id: "verb", title: t("palette.actions"), commands: verb === null ? [] : done(verb.id) },
          ...found,
          { id: "pages", title: t("palette.pages"), commands: pages.filter(matches) },
          { id: "actions", title: t("palette.actions"), commands: actions.filter(matches) },
        ];
  /** Once something is typed, a recent page is not listed again among the pages. */
  function isNoPage({ label }: PaletteCommand): boolean {
    return text === "" || pages.every((page) => page.label !== label);
  }
  function isMatch({ label }: PaletteCommand): boolean {
    return label.toLowerCase().includes(wanted.toLowerCase());
  }
  function matches({ id, label }: PaletteCommand): boolean {
    const known = `${label} ${id}`.toLowerCase();
    const words = text.toLowerCase().split(/\s+/);
    return words.every((word) => known.includes(word));
  }
  /** Returns one action for each result. */
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
    failure: search.failure,
  };
}

/** English verbs, which match in every language. */
const verbIds = ["check", "pause", "resume", "silence", "edit", "acknowledge"] as const;
type VerbId = (typeof verbIds)[number];
type Verb = { id: VerbId; label: string };

function useVerbs(): Verb[] {
  const { t } = useTranslation();
  return verbIds.map((id) => ({ id, label: t(`palette.verbs.${id}`) }));
}

const minLetters = 3;

/** Returns the verb at the start of a text and the rest, or `null`. */
function readVerb(text: string, verbs: readonly Verb[]): { id: VerbId; rest: string } | null {
  const [first = ""] = text.toLowerCase().split(/\s/);
  for (const { id, label } of verbs) {
    const own = label.toLowerCase();
    // Chinese has no space after the verb.
    if (text.toLowerCase().startsWith(own)) return { id, rest: text.slice(own.length).trim() };
    if (first.length >= minLetters && id.startsWith(first)) return { id, rest: text.slice(first.length).trim() };
  }
  return null;
}
