import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { root } from "../steps.ts";

export const chart = join(root, "charts/sonde");
/** Where `npm run verify -- --fetch-helm` puts what it builds. */
export const fetched = join(root, "node_modules/.cache/sonde/bin");

/** A program's path: what the environment names (`SONDE_HELM`), what PATH has, what was fetched; else null. */
export async function findProgram(name: string): Promise<string | null> {
  const named = process.env[`SONDE_${name.toUpperCase()}`];
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), fetched].filter((folder) => folder !== "");
  const candidates = named ? [named] : folders.map((folder) => join(folder, name));
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return null;
}

export type ProgramResult = { code: number | null; stdout: string; stderr: string };

/** Runs a program to its end, with a text as its input. @throws where it cannot be started */
export function runTool(program: string, args: readonly string[], input = ""): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => undefined); // It ended without reading.
    child.stdin.end(input);
  });
}

/** Renders the chart as `helm template` does, the same on each machine. `input` is for a values file `-`. */
export const renderChart = (helm: string, args: readonly string[], input = ""): Promise<ProgramResult> =>
  runTool(helm, ["template", "sonde", chart, "--namespace", "sonde", "--kube-version", "1.36.0", ...args], input);
