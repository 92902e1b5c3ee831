import type { Operation, Schema } from "./document.ts";
import { exampleOf } from "./example.ts";
import { field, fieldList } from "./fields.ts";
import { html, type Html } from "@sonde/kit/http/html";
import type { ReferenceWords } from "./words.ts";

type Schemas = Record<string, Schema>;

/** One route: who may call it, what it takes, what it answers, and both as they look on the wire. */
export function operation(method: string, path: string, op: Operation, schemas: Schemas, say: ReferenceWords): Html {
  const body = op.requestBody?.content["application/json"]?.schema;
  const [status = "200", success] = Object.entries(op.responses).find(([code]) => code.startsWith("2")) ?? [];
  const [media = "", content] = Object.entries(success?.content ?? {})[0] ?? [];
  const isEnvelope = content?.schema.properties?.["success"] !== undefined;
  return html`<article id="${op.operationId}" class="operation">
    <h3>
      <span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
      <a class="anchor" href="#${op.operationId}" aria-label="${say.link} ${method} ${path}">#</a>
    </h3>
    <p>
      <span lang="en">${op.summary}.</span>
      <span class="who">${say.who[op["x-who"] as keyof ReferenceWords["who"]]}</span>
    </p>
    ${op.description !== undefined && html`<p class="description" lang="en">${op.description}</p>`}
    ${
      op.parameters.length > 0 &&
      html`<h4>${say.parameters}</h4>
        <ul class="fields">
          ${op.parameters.map(({ name, in: place, required, schema }) =>
            field(name, schema, required, say, 0, placeOf(place, say)),
          )}
        </ul>`
    }
    ${
      body !== undefined &&
      html`<h4>${say.body}</h4>
        ${fieldList(body, say)}`
    }
    <h4>${say.answers}</h4>
    <ul class="answers">
      ${Object.entries(op.responses).map(
        ([code, { description }]) =>
          html`<li><span class="code c${code[0] ?? ""}">${code}</span> <span lang="en">${description}</span></li>`,
      )}
    </ul>
    ${
      isEnvelope
        ? html`<h4>${say.fields}</h4>
            ${fieldList(content.schema, say)}`
        : html`<p class="note"><code>${media}</code>: ${say.document}</p>`
    }
    <h4>${say.request}</h4>
    <pre><code>${curl(method, path, op, body, schemas)}</code></pre>
    ${
      isEnvelope &&
      html`<h4>${say.answer} ${status}</h4>
        <pre><code>${JSON.stringify(exampleOf(content.schema, schemas), null, 2)}</code></pre>`
    }
  </article>`;
}

const placeOf = (place: string, say: ReferenceWords) =>
  place === "path" ? say.inPath : place === "header" ? say.inHeader : say.inQuery;

/** A command to paste, once `$SONDE` is the address and `$TOKEN` the token of a login. */
function curl(method: string, path: string, op: Operation, body: Schema | undefined, schemas: Schemas): string {
  const query = op.parameters
    .filter(({ in: place, required, name }) => place === "query" && (required || name === "range" || name === "page"))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, schemas, name)))}`);
  const isText = (name: string) =>
    op.parameters.some((parameter) => parameter.name === name && parameter.schema.type === "string");
  const named = path.replace(/\{(\w+)\}/g, (_whole, name: string) => (isText(name) ? "m7" : "7"));
  const address = named + (query.length > 0 ? `?${query.join("&")}` : "");
  const bearer = op["x-who"] === "agent" ? "$KEY" : "$TOKEN";
  const json = body === undefined ? null : JSON.stringify(exampleOf(body, schemas)).replaceAll("'", String.raw`'\''`);
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$SONDE${address}"`,
    ...(op.security.length > 0 ? [`-H "Authorization: Bearer ${bearer}"`] : []),
    ...(json === null ? [] : [`-H "Content-Type: application/json"`, `-d '${json}'`]),
  ].join(" \\\n  ");
}
