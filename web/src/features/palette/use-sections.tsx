import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { useSettled } from "../../lib/hooks.ts";
import { type PaletteCommand, isMatch, useActions, usePages } from "./commands.tsx";
import { pageActions } from "./page-actions.tsx";
import { useFound } from "./use-found.tsx";

export type Section = { id: string; title: string; commands: PaletteCommand[] };
export type PaletteResults = { sections: Section[]; isSearching: boolean; fault: string | null };

const waitMs = 150;
const longestSearch = 200;

/**
 * What a search finds: pages and actions at once; monitors, agents and users as the server answers. Without a text: pages
 * and actions.
 */
export function useSections(text: string): PaletteResults {
  const { t } = useTranslation();
  const loggedIn = useSession().status === "authenticated";
  const matching = (commands: PaletteCommand[]) => commands.filter((command) => isMatch(command, text));
  const [ofPage] = useState(pageActions);
  const pages = matching(usePages());
  const actions = matching(useActions());
  const asked = useSettled(text, waitMs).slice(0, longestSearch);
  const { sections: found, isFetching, fault } = useFound(loggedIn && text !== "" ? asked : "");
  const sections = [
    ...found,
    { id: "pages", title: t("palette.pages"), commands: pages },
    { id: "here", title: t("palette.here"), commands: matching(ofPage) },
    { id: "actions", title: t("palette.actions"), commands: actions },
  ];
  return {
    sections: sections.filter(({ commands }) => commands.length > 0),
    isSearching: loggedIn && text !== "" && (asked !== text.slice(0, longestSearch) || isFetching),
    fault,
  };
}
