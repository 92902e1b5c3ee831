import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAst } from "vite";
import { root } from "./steps.ts";

type Source = { file: string; text: string };
type Words = { readonly [key: string]: string | Words };

const catalogues = { english: "web/src/locales/en-US", chinese: "web/src/locales/zh-CN" };

/**
 * Reports unused keys, texts whose placeholders differ between languages, and screen texts that are not in the catalogues.
 * The type check finds missing keys.
 */
export async function findTextErrors(): Promise<string> {
  const [en, zh] = await Promise.all([readWords(catalogues.english), readWords(catalogues.chinese)]);
  const sources = await readSources(join(root, "web/src"));
  const errors = [
    ...unusedKeys(en, sources).map((key) => `${catalogues.english}: nothing uses ${key}`),
    ...differingTexts(en, zh).map(
      (key) => `${catalogues.chinese}: the placeholders of ${key} differ from the English text`,
    ),
    ...sources.flatMap(wordsOutside),
  ];
  return errors.join("\n");
}

async function readWords(folder: string): Promise<Words> {
  const parts = ["index.ts", "later.ts"].map(async (file) => (await import(join(root, folder, file))) as Words);
  return Object.assign({}, ...(await Promise.all(parts))) as Words;
}

async function readSources(folder: string): Promise<Source[]> {
  const entries = await readdir(folder, { recursive: true });
  const files = entries.filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$|^locales\/|^testing\//.test(name),
  );
  return Promise.all(
    files.map(async (name) => ({ file: `web/src/${name}`, text: await readFile(join(folder, name), "utf8") })),
  );
}

function textsOf(words: Words, path = ""): [string, string][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [[path + key, value] as [string, string]] : textsOf(value, `${path}${key}.`),
  );
}

/**
 * Returns keys that no source contains, either completely or as a template (`users.roles.${role}`). A template that starts
 * with `${noun}` matches the catalogue sections that an element has as its `noun`. All errors are used through one
 * template, so a source must contain their last part.
 */
export function unusedKeys(words: Words, sources: readonly Source[]): string[] {
  const texts = new Set<string>();
  const templates = new Set<string>();
  const nouns = new Set<string>();
  const nounTemplates = new Set<string>();
  for (const source of sources) {
    walk(parse(source), (node) => {
      if (typeof node["value"] === "string") texts.add(node["value"]);
      if (node.type === "TemplateLiteral") {
        const parts = (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
        const [first] = node["expressions"] as { type: string; name?: string }[];
        if (/^[a-zA-Z]+\./.test(parts[0] ?? "")) templates.add(parts.map(RegExp.escape).join("[^.]+"));
        else if (parts[0] === "" && first?.name === "noun")
          nounTemplates.add(parts.slice(1).map(RegExp.escape).join("[^.]+"));
      }
      if (node.type === "JSXAttribute" && nameOf(node) === "noun" && isNode(node["value"]))
        nouns.add(String(node["value"]["value"]));
    });
  }
  const patterns = [...templates, ...[...nounTemplates].map((end) => `(?:${[...nouns].join("|")})${end}`)].map(
    (pattern) => new RegExp(`^${pattern}$`),
  );
  const isUsed = (key: string) =>
    texts.has(key) ||
    (key.startsWith("errors.")
      ? texts.has(key.slice("errors.".length))
      : patterns.some((pattern) => pattern.test(key)));
  return textsOf(words)
    .map(([key]) => key)
    .filter((key) => !isUsed(key) && !isUsed(key.replace(/_(?:zero|one|two|few|many|other)$/, "")));
}

export function differingTexts(words: Words, translated: Words): string[] {
  const others = new Map(textsOf(translated));
  const placeholders = (text = "") => [...new Set(text.match(/\{\{\w+\}\}/g))].sort().join();
  return textsOf(words)
    .filter(([key, text]) => placeholders(text) !== placeholders(others.get(key)))
    .map(([key]) => key);
}

const spokenAttributes = new Set(["aria-label", "aria-description", "title", "placeholder", "alt", "label", "hint"]);
/** Names, units, keys and addresses that are not translated. */
const names = /\b(?:Sonde|p50|p95|p99|ms|URL|Ctrl|Esc|Enter|Tab|K)\b|°C|https?:\/\/\S*|(?:\w+\.)*example\.com/g;

export function wordsOutside({ file, text }: Source): string[] {
  const errors: string[] = [];
  const check = (words: string, at: number) => {
    if (!/\p{L}/u.test(words.replace(names, ""))) return;
    const line = text.slice(0, at).split("\n").length;
    errors.push(`${file}:${line}: "${words.trim()}" is not in the catalogues`);
  };
  walk(parse({ file, text }), (node) => {
    if (node.type === "JSXText") check(node["value"] as string, node.start + leadingSpace(node["value"] as string));
    if (node.type === "JSXElement" || node.type === "JSXFragment") {
      for (const child of node["children"] as Node[]) if (child.type === "JSXExpressionContainer") spoken(child);
    }
    if (node.type === "JSXAttribute" && spokenAttributes.has(nameOf(node)) && isNode(node["value"])) {
      spoken(node["value"]);
    }
  });
  /** Checks all texts to which an expression may evaluate. */
  function spoken(node: Node): void {
    if (node.type === "Literal" && typeof node["value"] === "string") check(node["value"], node.start);
    if (node.type === "TemplateLiteral") {
      for (const { value, start } of node["quasis"] as { value: { cooked: string }; start: number }[])
        check(value.cooked, start);
    }
    for (const branch of ["expression", "consequent", "alternate", "left", "right"]) {
      const inner = node[branch];
      // The left side of `&&` and both sides of a comparison are not shown.
      if (node.type === "BinaryExpression" || (branch === "left" && node["operator"] === "&&")) continue;
      if (isNode(inner)) spoken(inner);
    }
  }
  return errors;
}

type Node = { type: string; start: number; [part: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;
const nameOf = (attribute: Node) => String((attribute["name"] as { name: unknown }).name);
const leadingSpace = (text: string) => text.length - text.trimStart().length;

function parse({ file, text }: Source): Node {
  return parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }, file) as unknown as Node;
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const part of Object.values(node)) {
    for (const child of Array.isArray(part) ? (part as unknown[]) : [part]) if (isNode(child)) walk(child, visit);
  }
}
