import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { type HtmlContent, type Html, html, trusted, withoutIndents, write } from "@sonde/kit/http/html";
import { languageNames } from "@sonde/proto/http/status/languages";
import { defaultSlug, pagePath } from "@sonde/proto/http/status/snapshot";
import { headlineOf } from "@sonde/proto/http/status/status";
import { type Counts, countStates, lookOfAll, countsText, headlineText } from "@sonde/proto/http/status/text";
import { hash } from "node:crypto";
import about from "../../package.json" with { type: "json" };
import { addressOf, agoTag, drawings, icon, iconOf, logoOf, pathIn, sharedLogoOf, type PageView } from "./view.ts";

type Parts = {
  /** `null` for the page itself. */
  title: string | null;
  description: string;
  path: string;
  /** Excludes the document from search engines, regardless of the page's settings. */
  isUnlisted?: boolean;
  /** `embed`: without a header, for any background. */
  kind?: "page" | "embed";
  content: HtmlContent;
};

/** Script and style sheet of this build, which the gateway serves. */
const assets = { script: `/assets/status.js?v=${about.version}`, style: `/assets/status.css?v=${about.version}` };
const dataOf = ({ slug = defaultSlug }: Pick<PageView, "slug">) =>
  slug === defaultSlug
    ? { feed: "/api/status/feed.atom", json: "/api/status" }
    : { feed: `${pagePath(slug)}/feed.atom`, json: `${pagePath(slug)}/data.json` };
const styleOf = (view: PageView) =>
  `${pathIn(view, "/status/style.css")}?v=${hash("sha256", view.page.css, "base64url").slice(0, 8)}`;

export function writeDocument(view: PageView, parts: Parts): string {
  const { page, language, status } = view;
  const mode = modeOf(view, parts);
  const body =
    parts.kind === "embed"
      ? html`<body class="embed" data-words="${JSON.stringify(view.texts.script)}">
          ${drawings}${parts.content}
        </body>`
      : html`<body data-words="${JSON.stringify(view.texts.script)}">
          ${drawings}
          <a class="skip" href="#content">${view.texts.skip}</a>
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

/** Renders a document that belongs to no page: one card, in the reader's colour scheme, without script. */
export function writePlain(language: PageLanguage, title: string, content: Html): string {
  const other = language === "en-US" ? "zh-CN" : "en-US";
  const document = html`<html lang="${language}" data-mode="auto">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="generator" content="Sonde" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
      <meta name="robots" content="noindex" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="${assets.style}" />
    </head>
    <body>
      <main id="content">
        <div class="card slip">
          <h1>${title}</h1>
          ${content}
          <p><a lang="${other}" hreflang="${other}" href="?lang=${other}">${languageNames[other]}</a></p>
        </div>
      </main>
    </body>
  </html>`;
  return `<!doctype html>\n${withoutIndents(write(document))}`;
}

/** An embed follows the site's colour scheme; with any other scheme it would not be transparent. */
const modeOf = ({ page }: PageView, { kind }: Parts) => (kind === "embed" ? "auto" : page.theme.mode);

function head(view: PageView, parts: Parts): Html {
  const { title, description, isUnlisted } = parts;
  const path = pathIn(view, parts.path);
  const mode = modeOf(view, parts);
  const { page, status, language, publicUrl, isPreview } = view;
  const overall = overallOf(view);
  const news = status.state === "operational" ? null : overall.headline;
  const text = [title ?? news, page.title].filter((part) => part !== null).join(" · ");
  const logo = sharedLogoOf(view);
  const isListed = page.searchable && isUnlisted !== true;
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="generator" content="Sonde" />
    <meta name="color-scheme" content="${mode === "auto" ? "light dark" : mode}" />
    <title>${text}</title>
    <meta name="description" content="${description}" />
    ${!isListed && html`<meta name="robots" content="noindex" />`}
    ${
      isListed &&
      html`${publicUrl !== null && html`<link rel="canonical" href="${publicUrl + path}" />`}
      ${page.languages.map(
        (one) => html`<link rel="alternate" hreflang="${one}" href="${publicUrl ?? ""}${path}?lang=${one}" />`,
      )}`
    }
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title ?? page.title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:site_name" content="${page.title}" />
    <meta property="og:locale" content="${language.replace("-", "_")}" />
    ${publicUrl !== null && html`<meta property="og:url" content="${publicUrl + path}" />`}
    ${logo !== null && html`<meta property="og:image" content="${logo}" />`}
    <meta name="twitter:card" content="summary" />
    <link rel="icon" href="${iconOf(view)}" />
    <link
      rel="alternate"
      type="application/atom+xml"
      title="${page.title}"
      href="${publicUrl ?? ""}${dataOf(view).feed}"
    />
    <link rel="stylesheet" href="${assets.style}" />
    ${page.css !== "" && isPreview !== true && html`<link rel="stylesheet" href="${styleOf(view)}" />`}
    ${isPreview !== true && html`<script type="module" src="${assets.script}" blocking="render"></script>`}
  </head>`;
}

function top(view: PageView, { title, path }: Parts): Html {
  const { page, texts, isPreview } = view;
  const address = logoOf(view);
  const logo = address !== null && html`<img src="${address}" alt="" height="36" />`;
  const name =
    title === null
      ? html`<h1>${logo}${page.title}</h1>`
      : html`<a class="home" ${isPreview !== true && html` href="${addressOf(view, "/status")}"`}
          >${logo}${page.title}</a
        >`;
  return html`<header class="top">
    ${name}
    <nav aria-label="${texts.page}">
      ${page.subscribable && title === null && isPreview !== true && html`<a class="button" href="#subscribe">${icon("mail")}${texts.subscribe}</a>`}
      ${isPreview !== true && page.theme.mode === "auto" && html`<button id="theme" class="quiet" type="button" hidden>${icon("theme")}<span class="sr"></span></button>`}
      ${isPreview !== true && languageSwitch(view, path)}
    </nav>
  </header>`;
}

/** A link to the other language, or a menu of several. */
function languageSwitch(view: PageView, path: string): Html | null {
  const { page, language } = view;
  const others = page.languages.filter((one) => one !== language);
  const link = (one: PageLanguage, mark: Html | null) =>
    html`<a class="language" lang="${one}" hreflang="${one}" href="${pathIn(view, path)}?lang=${one}"
      >${mark}${languageNames[one]}</a
    >`;
  if (others.length < 2) return others[0] === undefined ? null : link(others[0], icon("globe"));
  return html`<details class="languages">
    <summary>${icon("globe")}${languageNames[language]}</summary>
    <ul>
      ${others.map((one) => html`<li>${link(one, null)}</li>`)}
    </ul>
  </details>`;
}

function foot(view: PageView): Html {
  const { texts, isPreview, page } = view;
  const href = (path: string) => isPreview !== true && html` href="${path}"`;
  return html`<footer class="foot">
    ${page.footerHtml !== "" && html`<div class="own">${trusted(page.footerHtml)}</div>`}
    <a${href(dataOf(view).feed)}>${icon("feed")}${texts.feed}</a>
    <a${href(dataOf(view).json)}>${texts.json}</a>
    <span class="powered">${texts.poweredBy}<a${href("/")}>Sonde</a></span>
  </footer>`;
}

type Overall = { headline: string; counts: Counts; look: string; shape: string };

export function overallOf({ status, texts, language }: PageView): Overall {
  const states = [...status.monitors, ...status.agents].map((target) => target.status);
  const counts = countStates(states);
  const headline = headlineOf(status.state, states);
  return {
    headline: headlineText(texts.script, headline, counts, language),
    counts,
    ...lookOfAll(status.state, headline),
  };
}

export function band(view: PageView): Html {
  const { status, texts } = view;
  const { headline, counts, look, shape } = overallOf(view);
  return html`<section id="overall" class="band" data-look="${look}" data-state="${status.state}">
    <span class="state">${icon(shape)}</span>
    <div>
      <h2 id="headline">${headline}</h2>
      <p id="counts">${counts.total > 0 && countsText(texts.script, counts)}</p>
    </div>
    <p class="updated">
      <span id="live" hidden></span>
      ${
        status.updatedAt === null
          ? texts.neverUpdated
          : html`<span>${texts.updated}<span id="updated">${agoTag(status.updatedAt, view)}</span></span>`
      }
    </p>
  </section>`;
}

/** Always in the document, so the script can show it when updates stop. */
export function outdated(view: PageView): Html {
  const { status, texts } = view;
  const ago = status.updatedAt === null ? null : agoTag(status.updatedAt, view);
  return html`<p id="outdated" class="notice" ${!status.outdated && html` hidden`}>
    ${icon("partly")}<span>${ago === null ? texts.neverUpdated : texts.outdated<Html>(ago)}</span>
  </p>`;
}
