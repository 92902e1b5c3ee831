import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../steps.ts";

/** A fenced block of shell commands of a document. */
export type CommandBlock = { file: string; line: number; code: string; mark: string };

const fence = /^```(\w+)[ \t]*([^\n]*)\n([^]*?)^```$/gm;
const shells = new Set(["sh", "bash", "console", "shell"]);
const isRun = ({ mark }: CommandBlock) => mark === "run";
/** `not-run:` and a reason of some words. */
const isExcused = ({ mark }: CommandBlock) => /^not-run: \S.{9,}/.test(mark);

/** The blocks of README.md and of all pages in `docs`, by file. */
export async function readCommandBlocks(): Promise<Map<string, CommandBlock[]>> {
  const files = await Array.fromAsync(glob(["README.md", "docs/*.md", "docs/{adr,zh-CN}/*.md"], { cwd: root }));
  const read = async (file: string) => [file, blocksIn(file, await readFile(join(root, file), "utf8"))] as const;
  return new Map(await Promise.all(files.toSorted().map(read)));
}

export function blocksIn(file: string, text: string): CommandBlock[] {
  return [...text.matchAll(fence)]
    .filter(([, language = ""]) => shells.has(language))
    .map(({ index, 2: mark = "", 3: code = "" }) => {
      return { file, line: text.slice(0, index).split("\n").length, code, mark: mark.trim() };
    });
}

/** The blocks that e2e/docs/commands.e2e.ts runs, by page, each in the order of its page. A Chinese page has those of its twin. */
export async function readRunBlocks(): Promise<[string, CommandBlock[]][]> {
  const pages = [...(await readCommandBlocks())].filter(([file]) => !isChinese(file));
  return pages.map(([file, blocks]): [string, CommandBlock[]] => [file, blocks.filter(isRun)]).filter(hasBlocks);
}
const hasBlocks = ([, blocks]: [string, CommandBlock[]]) => blocks.length > 0;
const isChinese = (file: string) => file.startsWith("docs/zh-CN/");

/** Names each block that is neither run nor says why it is not, and each of a Chinese page that its English twin lacks. */
export async function findUnmarkedCommands(): Promise<string> {
  return commandFaults(await readCommandBlocks()).join("\n");
}

export function commandFaults(pages: ReadonlyMap<string, readonly CommandBlock[]>): string[] {
  return [...pages.values()].flat().flatMap((block) => {
    const at = `${block.file}:${block.line}`;
    if (!isRun(block) && !isExcused(block)) return `${at}: mark the commands as \`run\`, or as \`not-run: why\``;
    if (!isChinese(block.file)) return [];
    const twins = pages.get(block.file.replace("zh-CN/", "")) ?? [];
    const isThere = twins.some((twin) => isRun(twin) === isRun(block) && commandsOf(twin) === commandsOf(block));
    return isThere ? [] : `${at}: the English page has no block of these commands`;
  });
}

/** Without comments, which are in the language of the page. */
const commandsOf = ({ code }: CommandBlock): string =>
  code
    .split("\n")
    .map((line) => line.replace(/(?:^|\s+)# .*$/, "").trimEnd())
    .filter((line) => line !== "")
    .join("\n");
