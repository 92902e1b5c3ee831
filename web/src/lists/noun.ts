import type * as en from "../locales/en-US/index.ts";

type Catalogue = typeof en;
type With<Words> = { [Noun in keyof Catalogue]: Catalogue[Noun] extends Words ? Noun : never }[keyof Catalogue];

/** A part of the catalogue that holds the words of a list. */
export type ListNoun = With<{ title: string; searchLabel: string; clearFilters: string }>;
/** One that names what adds to the list. */
export type AddNoun = With<{ add: string }>;
/** One that also words that there is nothing yet, and that nothing matches. */
export type EmptyNoun = With<{
  clearFilters: string;
  empty: { title: string; text: string; noMatch: string; noMatchText: string };
}>;
/** One that asks before something is deleted. `text` holds its `name`. */
export type DeleteNoun = With<{ remove: { title: string; text: string; success: string } }>;
