import { existsSync } from "node:fs";
import { glob, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "../steps.ts";

const docs = [
  "*.md",
  "{agent,bench,cli,proto,web}/README.md",
  "{charts,deploy,packages,services}/*/README.md",
  "{bench,e2e}/results/*.md",
  "docs/*.md",
  "docs/{adr,zh-CN}/*.md",
];

export async function findDeadPaths(): Promise<string> {
  const top = await readdir(root);
  const errors: string[] = [];
  for await (const doc of glob(docs, { cwd: root })) {
    const text = await readFile(join(root, doc), "utf8");
    const siblings = await readdir(join(root, dirname(doc)));
    for (const { path, line } of pathsIn(text, [...top, ...siblings])) {
      // Relative to the document or to the repository.
      const places = [join(root, dirname(doc), path), join(root, path)];
      if (!places.some(existsSync)) errors.push(`${doc}:${line}: ${path} does not exist`);
    }
  }
  return errors.join("\n");
}

/**
 * Returns the paths in a Markdown text: relative links, and words in backticks whose first part is in `topLevel`. Ignores
 * globs, placeholders, package names, routes and fenced code.
 */
export function pathsIn(text: string, topLevel: readonly string[]): { path: string; line: number }[] {
  const found: { path: string; line: number }[] = [];
  let fenced = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const links = [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target.replace(/#.*$/, ""));
    const words = [...line.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word.replace(/^\.\//, ""));
    const ours = words.filter((word) => topLevel.includes(word.split("/")[0] ?? "") && isPlain(word));
    const local = links.filter((link) => link !== "" && !/^[a-z]+:/i.test(link));
    for (const path of [...local, ...ours]) found.push({ path, line: index + 1 });
  }
  return found;
}

function isPlain(word: string): boolean {
  const isBuilt = /(^|\/)(dist|node_modules|\.sonde)(\/|$)/.test(word);
  return word.includes("/") && !isBuilt && !/[*<>{}$\s…]/.test(word);
}
