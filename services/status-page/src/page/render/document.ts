import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { type HtmlContent, type Html, html, withoutIndents, write, trusted } from "@sonde/kit/http/html";
import { headlineOf, type PublicStatus, type Impact } from "@sonde/proto/http/status/status";
import { type Counts, countStates, lookOfAll, countsText, headlineText } from "@sonde/proto/http/status/text";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import about from "../../../package.json" with { type: "json" };
import { agoTag } from "./figures.ts";
import { enUS, type PageWords } from "./words/en-US.ts";
import { zhCN } from "./words/zh-CN.ts";

type Parts = {
  /** Of this document; null: it is the page itself. */
  title: string | null;
  description: string;
  path: string;
  /** Never listed by search engines, whatever the page's settings. */
  isUnlisted?: boolean;
  /** `embed`: without a header, for any background. */
  kind?: "page" | "embed";
  content: HtmlContent;
};

/** The build's names of the page's script and style sheet; the gateway serves them. */
const assets = { script: `/assets/status.js?v=${about.version}`, style: `/assets/status.css?v=${about.version}` };
const feed = "/api/status/feed.atom";
const languages: readonly PageLanguage[] = ["zh-CN", "en-US"];

/** A whole document of the page. */
export function writeDocument(view: PageView, parts: Parts): string {
  const { page, language, status } = view;
  const mode = modeOf(view, parts);
  const body =
    parts.kind === "embed"
      ? html`<body class="embed" data-words="${JSON.stringify(view.say.script)}">
          ${drawings}${parts.content}
        </body>`
      : html`<body data-words="${JSON.stringify(view.say.script)}">
          ${drawings}
          <a class="skip" href="#content">${view.say.skip}</a>
          ${top(view, parts)}
          <main id="content" tabindex="-1" data-state="${status.state}">${parts.content}</main>
          ${foot(view)}
          <p id="news" class="sr" aria-live="polite"></p>
        </body>`;
  const document = html`<html
    lang="${language}"
    ${mode !== "auto" && html` data-theme="${mode}"`}
    data-mode="${mode}"
    style="--accent:${page.theme.accent}"
  >
    ${head(view, parts)} ${body}
  </html>`;
  return `<!doctype html>\n${withoutIndents(write(document))}`;
}

/** On other sites it follows theirs, which the browser passes on: on any other ground it would not be transparent. */
const modeOf = ({ page }: PageView, { kind }: Parts) => (kind === "embed" ? "auto" : page.theme.mode);

function head(view: PageView, parts: Parts): Html {
  const { title, description, path, isUnlisted } = parts;
  const mode = modeOf(view, parts);
  const { page, status, language, publicUrl, isPreview } = view;
  const overall = overallOf(view);
  const news = status.state === "operational" ? null : overall.headline;
  const text = [title ?? news, page.title].filter((part) => part !== null).join(" · ");
  const isListed = page.searchable && isUnlisted !== true;
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="${mode === "auto" ? "light dark" : mode}" />
    <title>${text}</title>
    <meta name="description" content="${description}" />
    ${!isListed && html`<meta name="robots" content="noindex" />`}
    ${
      isListed &&
      html`${publicUrl !== null && html`<link rel="canonical" href="${publicUrl + path}" />`}
      ${languages.map(
        (one) => html`<link rel="alternate" hreflang="${one}" href="${publicUrl ?? ""}${path}?lang=${one}" />`,
      )}`
    }
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title ?? page.title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:site_name" content="${page.title}" />
    <meta property="og:locale" content="${language.replace("-", "_")}" />
    ${publicUrl !== null && html`<meta property="og:url" content="${publicUrl + path}" />`}
    ${page.logoUrl !== null && html`<meta property="og:image" content="${page.logoUrl}" />`}
    <meta name="twitter:card" content="summary" />
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <link rel="alternate" type="application/atom+xml" title="${page.title}" href="${publicUrl ?? ""}${feed}" />
    <link rel="stylesheet" href="${assets.style}" />
    ${isPreview !== true && html`<script type="module" src="${assets.script}" blocking="render"></script>`}
  </head>`;
}

function top(view: PageView, { title, path }: Parts): Html {
  const { page, say, language, isPreview } = view;
  const other = languages.find((one) => one !== language)!;
  const logo = page.logoUrl !== null && html`<img src="${page.logoUrl}" alt="" height="36" />`;
  const name =
    title === null
      ? html`<h1>${logo}${page.title}</h1>`
      : html`<a class="home" ${isPreview !== true && html` href="${addressOf(view, "/status")}"`}
          >${logo}${page.title}</a
        >`;
  return html`<header class="top">
    ${name}
    <nav aria-label="${say.page}">
      ${page.subscribable && title === null && isPreview !== true && html`<a class="button" href="#subscribe">${icon("mail")}${say.subscribe}</a>`}
      ${isPreview !== true && page.theme.mode === "auto" && html`<button id="theme" class="quiet" type="button" hidden>${icon("theme")}<span class="sr"></span></button>`}
      ${isPreview !== true && html`<a class="language" lang="${other}" hreflang="${other}" href="${path}?lang=${other}">${icon("globe")}${say.otherLanguage}</a>`}
    </nav>
  </header>`;
}

function foot(view: PageView): Html {
  const { say, isPreview } = view;
  const href = (path: string) => isPreview !== true && html` href="${path}"`;
  return html`<footer class="foot">
    <a${href(feed)}>${icon("feed")}${say.feed}</a>
    <a${href("/api/status")}>${say.json}</a>
    <span class="powered">${say.poweredBy}<a${href("/")}>Sonde</a></span>
  </footer>`;
}

type Overall = { headline: string; counts: Counts; look: string; shape: string };

/** The state of all together: in words, and how it looks. */
export function overallOf({ status, say, language }: PageView): Overall {
  const states = [...status.monitors, ...status.agents].map((target) => target.status);
  const counts = countStates(states);
  const headline = headlineOf(status.state, states);
  return {
    headline: headlineText(say.script, headline, counts, language),
    counts,
    ...lookOfAll(status.state, headline),
  };
}

/** The band at the top: icon, sentence, how many, and since when that is known. */
export function band(view: PageView): Html {
  const { status, say } = view;
  const { headline, counts, look, shape } = overallOf(view);
  return html`<section id="overall" class="band" data-look="${look}" data-state="${status.state}">
    <span class="state">${icon(shape)}</span>
    <div>
      <h2 id="headline">${headline}</h2>
      <p id="counts">${counts.total > 0 && countsText(say.script, counts)}</p>
    </div>
    <p class="updated">
      <span id="live" hidden></span>
      ${
        status.updatedAt === null
          ? say.neverUpdated
          : html`<span>${say.updated}<span id="updated">${agoTag(status.updatedAt, view)}</span></span>`
      }
    </p>
  </section>`;
}

/** The note that the page is out of date. Always in the document, so that the script can show it when updates stop. */
export function outdated(view: PageView): Html {
  const { status, say } = view;
  const ago = status.updatedAt === null ? null : agoTag(status.updatedAt, view);
  return html`<p id="outdated" class="notice" ${!status.outdated && html` hidden`}>
    ${icon("partly")}<span>${ago === null ? say.neverUpdated : say.outdated<Html>(ago)}</span>
  </p>`;
}

/** The input of a document of the public page. */
export type PageInput = {
  status: PublicStatus;
  page: PageSnapshot["page"];
  language: PageLanguage;
  /** What absolute links begin with, without a slash at its end; null: links are relative. */
  publicUrl: string | null;
  nowMs: number;
  /** Shown within the editor: no script, no forms, no external links. */
  isPreview?: boolean;
};

/** The same with its words, for the parts of a document. */
export type PageView = PageInput & { say: PageWords };

export type { PageWords };
export const words: Record<PageLanguage, PageWords> = { "zh-CN": zhCN, "en-US": enUS };

export const viewOf = (input: PageInput): PageView => ({ ...input, say: words[input.language] });

/** The address of another document of the page, in the same language. */
export const addressOf = (view: PageInput, path: string): string => `${path}?lang=${view.language}`;

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
const drawings: Html = trusted(
  `<svg hidden><defs>${Object.entries(shapes)
    .map(([name, drawing]) => `<symbol id="i-${name}" viewBox="0 0 16 16">${drawing}</symbol>`)
    .join("")}</defs></svg>`,
);

/** Decoration: the word is beside it. */
export const icon = (name: string): Html => html`<svg class="icon" aria-hidden="true"><use href="#i-${name}" /></svg>`;
