import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";
import type { PackedPart } from "../render/documents.ts";
import { createRenderer, type Renderer } from "../render/renderer.ts";

export const inlineRenderer = (): Renderer => createRenderer({ maxInlineCharacters: Infinity });

const renderer = inlineRenderer();

export const packDocuments = (given: {
  snapshot: PageSnapshot;
  states: PageStates;
  publicUrl?: string | null;
  nowMs?: number;
  slug?: string;
}): Promise<PackedPart[]> => {
  const { snapshot, states, publicUrl = null, nowMs = states.atMs, slug } = given;
  return renderer.parts({ page: JSON.stringify(snapshot), states, publicUrl, nowMs, slug, written: {} });
};

export { packImages } from "../render/documents.ts";
export type { StoredImage } from "../pages/images.ts";
