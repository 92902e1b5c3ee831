import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";
import { createRenderJobs, type PackedPart } from "../render/documents.ts";
import type { Renderer } from "../render/renderer.ts";
import { rendererOver } from "../render/renderer.ts";

/** A renderer on the caller's thread. */
export const directRenderer = (): Renderer => ({ ...rendererOver(createRenderJobs()), stop: () => {} });

const renderer = directRenderer();

/** The documents that no page has for itself, as the bucket holds them. */
export const packNeutral = (): Promise<Uint8Array> => renderer.neutral();

/** All documents of a page, as the bucket holds them. */
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
