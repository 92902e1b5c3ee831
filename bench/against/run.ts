/**
 * Runs a benchmark in turns on a checkout of another commit and on this tree, and prints both figures of each row beside
 * its goal: `npm run bench:probe -- --against main`. Each version runs its own benchmark. `--turns 3` takes so many turns
 * of both (1); all else is given to the benchmark.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { machine } from "../pipeline/report.ts";
import { checkOut } from "./checkout.ts";
import { type Row, rowsOf, sideBySide } from "./rows.ts";

const root = join(import.meta.dirname, "../..");
const say = (line: string) => void process.stderr.write(`${line}\n`);
const [name = "", ...given] = process.argv.slice(2);
const options = { against: "", turns: "1" };
const passed: string[] = [];
for (let at = 0; at < given.length; at++) {
  const [, option, value] = /^--(against|turns)(?:=(.*))?$/.exec(given[at]!) ?? [];
  if (option === "against" || option === "turns") options[option] = value ?? given[++at] ?? "";
  // A table of two versions has no place in bench/results.
  else if (given[at] !== "--write") passed.push(given[at]!);
}

const other = await checkOut(root, options.against).catch((fault: Error) => {
  say(fault.message);
  process.exit(1);
});
let stopped = false;
process.on("SIGINT", () => (stopped = true));
process.on("SIGTERM", () => (stopped = true));
const [theirs, ours]: [Row[][], Row[][]] = [[], []];
const loads: string[] = [];
try {
  const prepared = spawn(process.execPath, [join(root, "bench/needs.mjs"), name, other.folder], { stdio: "inherit" });
  const [code] = await once(prepared, "exit");
  if (code !== 0) stopped = true;
  for (let turn = 0; turn < Number(options.turns) && !stopped; turn++) {
    theirs.push(await turnOf(other.folder, other.commit));
    if (!stopped) ours.push(await turnOf(root, "this tree"));
  }
} finally {
  await other.remove();
}
const cell = (text: string) => text.replaceAll("\n", " ");
const rows = sideBySide(theirs, ours).map(
  ({ number, what, goal, before, measured }) => `| ${[number, what, goal, before, measured].map(cell).join(" | ")} |`,
);
const head = `| # | what | goal | ${other.commit} | this tree |\n| --- | --- | --- | --- | --- |`;
process.stdout.write(`\n${machine()}; before each turn: ${loads.join(", ")}\n\n${head}\n${rows.join("\n")}\n`);
process.exit(stopped ? 130 : 0);

/** Runs the benchmark of a checkout to its end and gives its rows; what it prints is shown as it comes. */
async function turnOf(folder: string, label: string): Promise<Row[]> {
  const script = join(folder, "bench", name, "run.ts");
  if (!existsSync(script)) {
    say(`\n${label} has no such benchmark`);
    return [];
  }
  loads.push((loadavg()[0] ?? 0).toFixed(2));
  say(`\n${label} …`);
  const { pinnedNode } = (await import(join(folder, "deploy/local/prepare.mjs"))) as { pinnedNode: string };
  const bench = spawn(pinnedNode, [script, ...passed], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  bench.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    process.stdout.write(text);
  });
  const [code] = (await once(bench, "close")) as [number | null];
  if (code !== 0) say(`${label} ended with ${code}`);
  return rowsOf(printed);
}
