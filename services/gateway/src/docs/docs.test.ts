import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../routes/routes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import type { Document, Schema } from "./document.ts";
import { exampleOf } from "./example.ts";
import { html, write } from "@sonde/kit/http/html";
import { renderPage } from "./page.ts";
import { words } from "./words.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const read = (language: string) => app.ask("GET", "/api/docs", { headers: { "accept-language": language } });

describe("the reference page", () => {
  test("shows every route once, with a link to it in the contents", async () => {
    const { text } = await read("en");
    for (const { method, path } of routes) {
      const template = path.replace(/:(\w+)/g, "{$1}");
      const heading = `<span class="method ${method.toLowerCase()}">${method}</span> <code>${template}</code>`;
      expect(text.split(heading), `${method} ${path}`).toHaveLength(2);
    }
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(text.match(/<article id="\w+" class="operation">/g)).toHaveLength(routes.length + 2);
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids, target).toContain(target);
  });

  test("says who may call a route, what it takes and what it answers", async () => {
    const { text } = await read("en");
    const article = /<article id="postUsers"[\s\S]*?<\/article>/.exec(text)?.[0] ?? "";
    expect(article).toContain(words["en-US"].who.admin);
    expect(article).toMatch(/<code class="name">password<\/code>[\s\S]*?required[\s\S]*?8–256 characters/);
    expect(article).toMatch(/<code class="name">role<\/code>[\s\S]*?default <code>&quot;user&quot;/);
    for (const status of ["201", "400", "401", "403", "409"]) expect(article).toContain(`>${status}</span>`);
    expect(article).toContain(`curl -X POST &quot;$SONDE/api/users&quot;`);
    expect(article).toContain(`-H &quot;Authorization: Bearer $TOKEN&quot;`);
  });

  test("says what all kinds of check have in common once, and what each has of its own below it", async () => {
    const { text } = await read("en");
    const article = /<article id="postMonitors"[\s\S]*?<\/article>/.exec(text)?.[0] ?? "";
    const body = article.slice(0, article.indexOf(words["en-US"].answers));
    const fields = [
      ...body.matchAll(/depth-(\d)">\s*<code class="name">(\w+)<\/code> <span class="type">(.*?)<\/span>/g),
    ];
    const named = (wanted: string) =>
      fields.flatMap(([, depth, name, type]) => (name === wanted ? [`${depth} ${type}`] : []));
    expect(named("interval")).toEqual(["0 number"]);
    const types = named("type").filter((type) => type.startsWith("0"));
    expect(types).toEqual(["http", "tcp", "dns", "tls"].map((type) => `0 &quot;${type}&quot;`));
    expect(named("host")).toEqual(Array(3).fill("1 string, hostname or ipv4 or ipv6"));
    expect(named("starttls")).toEqual(["1 string or null"]);
    for (const protocol of ["smtp", "imap", "pop3", "ftp", "ldap", "postgres", "mysql"])
      expect(body).toContain(`<code>${protocol}</code>`);
  });

  test("speaks the language that is asked for around the schemas", async () => {
    const [chinese, english] = await Promise.all([read("zh-CN,zh;q=0.9"), read("de")]);
    expect(chinese.text).toContain('<html lang="zh-CN">');
    expect(chinese.text).toContain(words["zh-CN"].basicsAuth);
    expect(english.text).toContain('<html lang="en-US">');
    expect(chinese.headers.get("vary")).toMatch(/Accept-Language/);
    expect(chinese.headers.get("content-language")).toBe("zh-CN");
  });

  test("runs no script and takes its one style from a file of our own", async () => {
    const { text, headers } = await read("en");
    expect(text).not.toMatch(
      /<script|<style|\son\w+=|\sstyle=|https?:\/\/(?!127\.0\.0\.1|[\w.]*example\.com|ntfy\.sh)/i,
    );
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toContain("script-src 'self'");
    const sheet = await app.ask("GET", "/api/docs.css");
    expect(sheet.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(sheet.text).not.toMatch(/url\(|@import/);
  });
});

test("nothing of a document becomes HTML: not a path, a summary, a field, a limit, an example", () => {
  const evil = `<img src=x onerror="alert('1')">`;
  const schema: Schema = {
    type: "object",
    description: evil,
    required: [evil],
    properties: {
      [evil]: { type: "string", description: evil, default: evil, pattern: evil, examples: [evil] },
      choice: { type: evil, enum: [evil], format: evil },
      linked: { $ref: `#/components/schemas/${evil.replaceAll("/", "")}` },
    },
  };
  const media = { "application/json": { schema: { ...schema, properties: { success: {}, ...schema.properties } } } };
  const document: Document = {
    info: { title: evil, version: evil },
    components: { schemas: { [evil.replaceAll("/", "")]: schema } },
    paths: {
      [`/api/${evil}`]: {
        post: {
          summary: evil,
          description: evil,
          operationId: evil,
          tags: [evil],
          security: [evil],
          "x-who": evil,
          parameters: [{ name: evil, in: "query", required: true, schema: { type: "string", default: evil } }],
          requestBody: { content: media },
          responses: { "200": { description: evil, content: media } },
        },
      },
    },
  };
  for (const language of ["en-US", "zh-CN"] as const) {
    const page = renderPage(document, language);
    expect(page).toContain("&lt;img");
    expect(page).not.toContain("<img");
    expect(page).not.toContain('onerror="');
  }
});

test("HTML made by `html` stays; everything else is text", () => {
  const inner = html`<b>${"<i>"}</b>`;
  expect(write(html`<p title="${`"'&`}">${[inner, null, false, 0]}</p>`)).toBe(
    `<p title="&quot;&#39;&amp;"><b>&lt;i&gt;</b>0</p>`,
  );
});

test("an example ends, whatever refers to itself", () => {
  const schemas = { Loop: { type: "object", required: ["next"], properties: { next: { $ref: "#/x/Loop" } } } };
  expect(JSON.stringify(exampleOf({ $ref: "#/x/Loop" }, schemas))).toContain("null");
});
