import type { NeutralKind, PageLanguage } from "@sonde/proto/http/status/documents";
import type { Html } from "@sonde/kit/http/html";
import { html } from "@sonde/kit/http/html";
import { randomUUID } from "node:crypto";
import { writePlain } from "./document.ts";
import { words } from "./view.ts";

// Random, so that no text is taken for one of them.
const blanks = { title: randomUUID(), text: randomUUID(), token: randomUUID(), error: randomUUID() };
type Blank = keyof typeof blanks;
type NeutralDocument = { kind: NeutralKind; text: string; blanks: Record<string, string> };

/**
 * The documents of a page that is locked or missing, the same for all of them. They have no title, colours or address of
 * a page, work without script, and their forms are posted to where they are shown.
 * Members are led on by the gateway, which knows which page was asked for (`?members`).
 */
export function renderNeutral(language: PageLanguage): NeutralDocument[] {
  const say = words[language];
  const { locked } = say;
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
        ${field("email", "email", locked.email, "email", locked.mail)}
        <p><a href="?members">${locked.members}</a></p>`,
    ),
    button("open", locked.openTitle, locked.openText, locked.open),
    button("confirm", say.confirmTitle, say.confirmText, say.confirmButton),
    button("unsubscribe", say.unsubscribeTitle, say.unsubscribeText, say.unsubscribeButton),
    document("notice", ["title", "text"], blanks.title, html`<p>${blanks.text}</p>`),
  ];
}
