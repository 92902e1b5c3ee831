import { en } from "../locales/en-US/index.ts";

/** All that the page says, to the eye and to assistive technology. */
export function textsOnPage(): string[] {
  const texts = [...document.querySelectorAll("*")].flatMap((element) => [
    ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent),
    ...["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name)),
  ]);
  return texts.filter((text) => text !== null);
}

/** Keys that stand on the page where their words should. */
export function keysOnPage(): string[] {
  const key = new RegExp(`\\b(?:${Object.keys(en).join("|")})\\.[a-z]\\w*`);
  return textsOnPage().filter((text) => key.test(text));
}
