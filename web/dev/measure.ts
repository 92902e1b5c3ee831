/**
 * Prints the JavaScript size of pages, without charts and menus, which load later: `npm --workspace web run measure`.
 * Budgets are for Brotli, which browsers accept over HTTPS and from localhost. Over plain HTTP they accept only gzip,
 * which is also printed. Exits with 1 if a page exceeds its budget. `npm run verify` runs it too.
 */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

type Page = { screen: string; budgetKb?: number };

const publicBudgetKb = 20;
const pages: Record<string, Page> = {
  dashboard: { screen: "dashboard/dashboard-screen", budgetKb: 190 },
  list: { screen: "monitors/list/list-screen", budgetKb: 200 },
  home: { screen: "home/home-screen" },
  login: { screen: "auth/login-screen" },
  detail: { screen: "monitors/detail/detail-screen", budgetKb: 205 },
  create: { screen: "monitors/form/create-screen" },
};
const language = "zh-CN";

const output = (await build({
  root: `${import.meta.dirname}/..`,
  logLevel: "error",
  build: { write: false },
})) as Rolldown.RolldownOutput;
const chunks = new Map(output.output.filter((file) => file.type === "chunk").map((chunk) => [chunk.fileName, chunk]));

function find(isIt: (chunk: Rolldown.OutputChunk) => boolean): string {
  const found = [...chunks.values()].find(isIt);
  if (found === undefined) throw new Error("The build has no such chunk");
  return found.fileName;
}

const from = (source: string) => find((chunk) => chunk.facadeModuleId?.endsWith(source) === true);

function withImports(fileName: string, files = new Set<string>()): Set<string> {
  if (files.has(fileName)) return files;
  files.add(fileName);
  for (const imported of chunks.get(fileName)?.imports ?? []) withImports(imported, files);
  return files;
}

const kb = (bytes: number) => (bytes / 1000).toFixed(1).padStart(8);
const compressed = (texts: string[]) => ({
  gzip: texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0),
  brotli: texts.reduce((sum, text) => sum + brotliCompressSync(text).length, 0),
});

console.log("page          chunks  brotli KB   budget   gzip KB");
function print(page: string, texts: string[], budgetKb?: number) {
  const { gzip, brotli } = compressed(texts);
  const budget = budgetKb === undefined ? "" : `≤ ${budgetKb}`;
  console.log(`${page.padEnd(12)}${String(texts.length).padStart(8)} ${kb(brotli)}   ${budget.padEnd(6)} ${kb(gzip)}`);
  if (budgetKb !== undefined && brotli > budgetKb * 1000) process.exitCode = 1;
}

for (const [page, { screen, budgetKb }] of Object.entries(pages)) {
  const files = withImports(from("/index.html"));
  withImports(from(`/locales/${language}/index.ts`), files);
  withImports(from(`/features/${screen}.tsx`), files);
  print(
    page,
    [...files].map((file) => chunks.get(file)?.code ?? ""),
    budgetKb,
  );
}

// The gateway serves the public page. It loads only its script and its style sheet.
const publicFiles = [...withImports(from("/status-page/main.ts"))].map((file) => chunks.get(file)?.code ?? "");
const style = output.output.find(({ fileName }) => /^assets\/status\.css$/.test(fileName));
if (style?.type !== "asset") throw new Error("The build has no style sheet of the public page");
publicFiles.push(style.source.toString());
print("public page", publicFiles, publicBudgetKb);
