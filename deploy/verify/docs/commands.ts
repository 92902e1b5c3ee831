import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../steps.ts";

export type CommandBlock = { file: string; line: number; code: string; mark: string };

const fence = /^```(\w+)[ \t]*([^\n]*)\n([^]*?)^```$/gm;
const shells = new Set(["sh", "bash", "console", "shell"]);
const isRun = ({ mark }: CommandBlock) => mark === "run";
const isExcused = ({ mark }: CommandBlock) => /^not-run: \S.{9,}/.test(mark);

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

/** Returns the blocks to run by page. Chinese pages are skipped, because they have the same commands. */
export async function readRunBlocks(): Promise<[string, CommandBlock[]][]> {
  const pages = [...(await readCommandBlocks())].filter(([file]) => !isChinese(file));
  return pages.map(([file, blocks]): [string, CommandBlock[]] => [file, blocks.filter(isRun)]).filter(hasBlocks);
}
const hasBlocks = ([, blocks]: [string, CommandBlock[]]) => blocks.length > 0;
const isChinese = (file: string) => file.startsWith("docs/zh-CN/");

/** Reports blocks that are neither run nor excused, and blocks of Chinese pages without an English equivalent. */
export async function findUnmarkedCommands(): Promise<string> {
  return commandErrors(await readCommandBlocks()).join("\n");
}

export function commandErrors(pages: ReadonlyMap<string, readonly CommandBlock[]>): string[] {
  return [...pages.values()].flat().flatMap((block) => {
    const at = `${block.file}:${block.line}`;
    if (!isRun(block) && !isExcused(block)) return `${at}: mark the commands as \`run\`, or as \`not-run: why\``;
    if (!isChinese(block.file)) return [];
    const twins = pages.get(block.file.replace("zh-CN/", "")) ?? [];
    const hasTwin = twins.some((twin) => isRun(twin) === isRun(block) && commandsOf(twin) === commandsOf(block));
    return hasTwin ? [] : `${at}: the English page has no block with these commands`;
  });
}

const commandsOf = ({ code }: CommandBlock): string =>
  code
    .split("\n")
    .map((line) => line.replace(/(?:^|\s+)# .*$/, "").trimEnd())
    .filter((line) => line !== "")
    .join("\n");
