/**
 * Prints what each first page costs in JavaScript, charts and menus left out as they come later: `npm --workspace web run measure`.
 * Ends with 1 where the first logged-in page or the public page costs more than its budget; `npm run verify` runs it too.
 */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

const budgetKb = 150;
const publicBudgetKb = 60;
const firstPage = "dashboard";
const pages: Record<string, string> = {
  [firstPage]: "dashboard/dashboard-screen",
  home: "home/home-screen",
  login: "auth/login-screen",
  list: "monitors/list-screen",
  detail: "monitors/detail-screen",
  create: "monitors/create-screen",
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

/** A chunk and everything that it imports at once. */
function withImports(fileName: string, files = new Set<string>()): Set<string> {
  if (files.has(fileName)) return files;
  files.add(fileName);
  for (const imported of chunks.get(fileName)?.imports ?? []) withImports(imported, files);
  return files;
}

const kb = (bytes: number) => (bytes / 1000).toFixed(1).padStart(8);
console.log("page          chunks  gzip KB  brotli KB");
for (const [page, screen] of Object.entries(pages)) {
  const files = withImports(from("/index.html"));
  const words = page === firstPage ? ["first"] : ["first", "index"];
  for (const part of words) withImports(from(`/locales/${language}/${part}.ts`), files);
  withImports(from(`/features/${screen}.tsx`), files);
  const codes = [...files].map((file) => chunks.get(file)?.code ?? "");
  const gzip = codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);
  const brotli = codes.reduce((sum, code) => sum + brotliCompressSync(code).length, 0);
  if (page === firstPage && gzip > budgetKb * 1000) process.exitCode = 1;
  console.log(`${page.padEnd(12)}${String(files.size).padStart(8)} ${kb(gzip)} ${kb(brotli)}`);
}
console.log(`goal of the first logged-in page (${firstPage}): at most ${budgetKb} KB compressed`);

// The public page is a document of the gateway: its script and its style sheet are all that it loads.
const publicFiles = [...withImports(from("/status-page/main.ts"))].map((file) => chunks.get(file)?.code ?? "");
const style = output.output.find(({ fileName }) => /^assets\/status-.*\.css$/.test(fileName));
if (style?.type !== "asset") throw new Error("The build has no style sheet of the public page");
publicFiles.push(style.source.toString());
const publicGzip = publicFiles.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);
const publicBrotli = publicFiles.reduce((sum, code) => sum + brotliCompressSync(code).length, 0);
if (publicGzip > publicBudgetKb * 1000) process.exitCode = 1;
console.log(
  `${"public page".padEnd(12)}${String(publicFiles.length).padStart(8)} ${kb(publicGzip)} ${kb(publicBrotli)}`,
);
console.log(`goal of the public page, script and style: at most ${publicBudgetKb} KB compressed`);
