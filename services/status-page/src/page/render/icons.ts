import type { Impact } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";

// Each state has a shape of its own, so that nothing depends on colour: a disc with a tick, an octagon with a cross…
const shapes: Record<string, string> = {
  well: '<circle cx="8" cy="8" r="7"/><path d="m4.9 8.3 2.2 2.2 4.1-4.6"/>',
  ill: '<path d="M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z"/><path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"/>',
  partly: '<path d="M8 1.2 15.4 14.4H.6z"/><path d="M8 6v3.8M8 12v.1"/>',
  maintenance:
    '<rect x="1" y="1" width="14" height="14" rx="4"/><path d="m4.6 11.4 6.8-6.8M4.6 7.4l2.8-2.8M8.6 11.4l2.8-2.8"/>',
  waiting: '<circle cx="8" cy="8" r="7"/><path d="M8 4.4v3.8l2.4 1.6"/>',
  paused: '<circle cx="8" cy="8" r="7"/><path d="M6.3 5.4v5.2M9.7 5.4v5.2"/>',
  chevron: '<path d="m4.5 6.5 3.5 3.5 3.5-3.5"/>',
  globe:
    '<circle cx="8" cy="8" r="6"/><path d="M2.2 8h11.6M8 2c1.8 1.7 2.6 3.7 2.6 6S9.8 12.3 8 14C6.2 12.3 5.4 10.3 5.4 8S6.2 3.7 8 2z"/>',
  theme: '<circle cx="8" cy="8" r="6"/><path d="M8 2v12a6 6 0 0 0 0-12z" fill="currentColor"/>',
  feed: '<path d="M3 7.4A5.6 5.6 0 0 1 8.6 13M3 3a10 10 0 0 1 10 10M3.8 12.2h.1"/>',
  mail: '<rect x="1.8" y="3.2" width="12.4" height="9.6" rx="1.6"/><path d="m2.4 4.4 5.6 4.4 5.6-4.4"/>',
  unknown: '<circle cx="8" cy="8" r="7"/><path d="M6.2 6.3c0-2.4 3.7-2.3 3.7 0 0 1.5-1.9 1.5-1.9 3M8 11.5v.1"/>',
};

export const shapeOfImpact: Record<Impact, string> = { minor: "partly", major: "partly", critical: "ill" };

/** The drawings, once a document; `icon` points at them. */
export const drawings: Html = trusted(
  `<svg hidden><defs>${Object.entries(shapes)
    .map(([name, drawing]) => `<symbol id="i-${name}" viewBox="0 0 16 16">${drawing}</symbol>`)
    .join("")}</defs></svg>`,
);

/** Decoration: the word is beside it. */
export const icon = (name: string): Html => html`<svg class="icon" aria-hidden="true"><use href="#i-${name}" /></svg>`;
