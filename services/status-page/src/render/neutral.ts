import type { NeutralKind, PageLanguage } from "@sonde/proto/http/status/documents";
import type { Html } from "@sonde/kit/http/html";
import { html } from "@sonde/kit/http/html";
import { randomUUID } from "node:crypto";
import { writePlain } from "./document.ts";
import { words } from "./view.ts";

// Random, so no text equals one of them.
const blanks = { title: randomUUID(), text: randomUUID(), token: randomUUID(), error: randomUUID() };
type Blank = keyof typeof blanks;
type NeutralDocument = { kind: NeutralKind; text: string; blanks: Record<string, string> };

/**
 * Renders the documents of locked and missing pages, which are the same for all pages. They contain no title, colours
 * or address of a page, work without script, and their forms post to the address where they are shown. For `?members`
 * the gateway redirects, since it knows the requested page.
 */
export function renderNeutral(language: PageLanguage): NeutralDocument[] {
  const texts = words[language];
  const { locked } = texts;
  const document = (kind: NeutralKind, names: readonly Blank[], title: string, content: Html): NeutralDocument => ({
    kind,
    text: writePlain(language, title, content),
    blanks: Object.fromEntries(names.map((name) => [name, blanks[name]])),
  });
  const button = (kind: NeutralKind, title: string, text: string, label: string) =>
    document(
      kind,
      ["token"],
      title,
      html`<p>${text}</p>
        <form method="post">
          <input type="hidden" name="token" value="${blanks.token}" />
          <input type="hidden" name="lang" value="${language}" />
          <button type="submit">${label}</button>
        </form>`,
    );
  const field = (name: string, type: string, label: string, autocomplete: string, submit: string) =>
    html`<form method="post" class="proof">
      <input type="hidden" name="lang" value="${language}" />
      <label for="${name}">${label}</label>
      <div class="fields">
        <input id="${name}" name="${name}" type="${type}" required maxlength="254" autocomplete="${autocomplete}" />
        <button type="submit">${submit}</button>
      </div>
    </form>`;
  return [
    document(
      "locked",
      ["error"],
      locked.title,
      html`<p class="answer" role="alert">${blanks.error}</p>
        ${field("password", "password", locked.password, "current-password", locked.open)}
        <details>
          <summary>${locked.noPassword}</summary>
          ${field("email", "email", locked.email, "email", locked.mail)}
        </details>
        <p><a href="?members">${locked.members}</a></p>`,
    ),
    button("open", locked.openTitle, locked.openText, locked.open),
    button("confirm", texts.confirmTitle, texts.confirmText, texts.confirmButton),
    button("unsubscribe", texts.unsubscribeTitle, texts.unsubscribeText, texts.unsubscribeButton),
    document("notice", ["title", "text"], blanks.title, html`<p>${blanks.text}</p>`),
  ];
}
