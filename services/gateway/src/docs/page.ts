import type { Language } from "@sonde/proto/http/messages";
import type { Document, Operation } from "./document.ts";
import { fieldList } from "./fields.ts";
import { html, withoutIndents, write } from "@sonde/kit/http/html";
import { operation } from "./operation.ts";
import { type ReferenceWords, words } from "./words.ts";

type OperationEntry = { method: string; path: string; op: Operation };

/** The reference page of an OpenAPI document: HTML with one stylesheet beside it and no script. */
export function renderPage(document: Document, language: Language): string {
  const say = words[language];
  const groups = groupsOf(document);
  const { schemas } = document.components;
  const nouns = [...groups.keys()];
  const page = html`<html lang="${language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${say.title} · ${document.info.title}</title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/api/docs.css" />
    </head>
    <body>
      <a class="skip" href="#content">${say.skip}</a>
      <header class="top">
        <a class="brand" href="/">${document.info.title}</a>
        <a href="/api/openapi.json">${say.download}</a>
        <a href="/">${say.home}</a>
      </header>
      <div class="frame">
        <nav aria-label="${say.contents}">
          <details open>
            <summary>${say.contents}</summary>
            <ul>
              <li><a href="#basics">${say.basics}</a></li>
              ${nouns.map(
                (noun) =>
                  html`<li>
                    <a href="#noun-${noun}">${nounOf(noun, say)}</a>
                    <ul>
                      ${groups.get(noun)!.map(
                        ({ method, path, op }) =>
                          html`<li>
                            <a href="#${op.operationId}"
                              ><span class="method ${method.toLowerCase()}">${method}</span>
                              ${path.replace(/^\/api/, "")}</a
                            >
                          </li>`,
                      )}
                    </ul>
                  </li>`,
              )}
              <li><a href="#objects">${say.objects}</a></li>
            </ul>
          </details>
        </nav>
        <main id="content" tabindex="-1">
          <h1>${document.info.title} ${say.title} <small>${document.info.version}</small></h1>
          <p class="lead">${say.lead}</p>
          <section id="basics">
            <h2>${say.basics}</h2>
            <p>${say.basicsAuth}</p>
            <pre><code>${login}</code></pre>
            <p>${say.basicsEnvelope}</p>
            <p>${say.basicsValues} ${say.basicsLanguage} ${say.basicsLimits}</p>
          </section>
          ${nouns.map(
            (noun) =>
              html`<section id="noun-${noun}">
                <h2>${nounOf(noun, say)}</h2>
                ${groups.get(noun)!.map(({ method, path, op }) => operation(method, path, op, schemas, say))}
              </section>`,
          )}
          <section id="objects">
            <h2>${say.objects}</h2>
            ${Object.entries(schemas).map(
              ([name, schema]) =>
                html`<article id="object-${name}">
                  <h3><code>${name}</code></h3>
                  ${fieldList(schema, say)}
                </article>`,
            )}
          </section>
        </main>
      </div>
    </body>
  </html>`;
  return `<!doctype html>\n${withoutIndents(write(page))}`;
}

const login = `SONDE=http://127.0.0.1:8080
curl -X POST "$SONDE/api/auth/login" \\
  -H "Content-Type: application/json" \\
  -d '{"username":"ada","password":"correct horse battery"}'
TOKEN=…`;

/** The routes by the noun that their path begins with, in the order of the table. */
function groupsOf({ paths }: Document): Map<string, OperationEntry[]> {
  const groups = new Map<string, OperationEntry[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, op] of Object.entries(operations)) {
      const noun = op.tags[0] ?? "other";
      groups.set(noun, [...(groups.get(noun) ?? []), { method: method.toUpperCase(), path, op }]);
    }
  }
  return groups;
}

const nounOf = (noun: string, { nouns }: ReferenceWords) => nouns[noun] ?? noun.charAt(0).toUpperCase() + noun.slice(1);
