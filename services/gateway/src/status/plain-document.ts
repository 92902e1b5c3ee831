import { html, write } from "../html.ts";
import type { Language } from "./page/render.ts";

/** A document of a few words without the page's clothes: for when nothing of the page is known, or can be made. */
export const plainDocument = (language: Language, { title, text }: { title: string; text: string }): string =>
  write(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
        </head>
        <body>
          <h1>${title}</h1>
          <p>${text}</p>
        </body>
      </html> `,
  );
