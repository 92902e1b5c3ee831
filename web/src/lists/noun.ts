import type * as en from "../locales/en-US/index.ts";
import type * as later from "../locales/en-US/later.ts";

type Catalogue = typeof en & typeof later;
type With<Words> = { [Noun in keyof Catalogue]: Catalogue[Noun] extends Words ? Noun : never }[keyof Catalogue];

export type ListNoun = With<{ title: string; searchLabel: string; clearFilters: string }>;
export type AddNoun = With<{ add: string }>;
export type EmptyNoun = With<{
  clearFilters: string;
  empty: { title: string; text: string; noMatch: string; noMatchText: string };
}>;
export type DeleteNoun = With<{ remove: { title: string; text: string; success: string } }>;
export type ObjectNoun = ListNoun &
  AddNoun &
  EmptyNoun &
  DeleteNoun &
  With<{ edit: string; back: string; missing: string; missingText: string }>;
