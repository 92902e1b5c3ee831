import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { root } from "../steps.ts";

export const chart = join(root, "charts/sonde");
/** Output folder of `npm run verify -- --fetch-helm`. */
export const fetchedTools = join(root, "node_modules/.cache/sonde/bin");

/** Finds a program through the environment (`SONDE_HELM`), on PATH, or in `fetchedTools`; returns null if missing. */
export async function findProgram(name: string): Promise<string | null> {
  const configured = process.env[`SONDE_${name.toUpperCase()}`];
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), fetchedTools].filter((folder) => folder !== "");
  const candidates = configured ? [configured] : folders.map((folder) => join(folder, name));
  for (const candidate of candidates) {
    const isExecutable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return candidate;
  }
  return null;
}

export type ProgramResult = { code: number | null; stdout: string; stderr: string };

/** Runs a program with `input` on stdin. @throws Error if it cannot be started */
export function runTool(program: string, args: readonly string[], input = ""): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => undefined); // It may exit without reading.
    child.stdin.end(input);
  });
}

/** Runs `helm template` for a fixed Kubernetes version. `input` is the content of the values file `-`. */
export const renderChart = (helm: string, args: readonly string[], input = ""): Promise<ProgramResult> =>
  runTool(helm, ["template", "sonde", chart, "--namespace", "sonde", "--kube-version", "1.36.0", ...args], input);
