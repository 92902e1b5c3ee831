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

/** Names every path that a document speaks of and that is not there. */
export async function findDeadPaths(): Promise<string> {
  const top = await readdir(root);
  const faults: string[] = [];
  for await (const doc of glob(docs, { cwd: root })) {
    const text = await readFile(join(root, doc), "utf8");
    const beside = await readdir(join(root, dirname(doc)));
    for (const { path, line } of pathsIn(text, [...top, ...beside])) {
      // A link counts from its document's folder, a path in backticks from either.
      const places = [join(root, dirname(doc), path), join(root, path)];
      if (!places.some(existsSync)) faults.push(`${doc}:${line}: ${path} is not there`);
    }
  }
  return faults.join("\n");
}

/**
 * The paths of this repository that a Markdown text names: relative links, and words in backticks whose first part is
 * one of these files or folders. Globs, placeholders, package names and routes are ignored, and so is fenced code.
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
  const isMade = /(^|\/)(dist|node_modules|\.sonde)(\/|$)/.test(word);
  return word.includes("/") && !isMade && !/[*<>{}$\s…]/.test(word);
}
