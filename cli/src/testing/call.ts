import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { runProgram } from "../program.ts";

export const key = "sonde_0123456789";
export const canary = "https://hooks.slack.com/canary/T000";
const config = `source: prod-git
channels:
  ops: {type: slack, webhookUrl: {env: SLACK_URL}}
monitors:
  shop:
    url: https://shop.example.com/
  db: {type: tcp, host: db, port: 5432}
`;

/** Creates a folder for each test of a file, which is also the home of its commands. */
export function inFolder() {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sonde-cli-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  return {
    path,
    file: () => path("sonde.yaml"),
    write: (text = config) => writeFileSync(path("sonde.yaml"), text),
    /** Runs a command line and expects neither the secret nor the key in its output. */
    async call(args: string[], env: NodeJS.ProcessEnv = {}, input = "") {
      const lines = { out: [] as string[], err: [] as string[] };
      const code = await runProgram(args, {
        env: { HOME: folder, SLACK_URL: canary, ...env },
        out: (line) => lines.out.push(line),
        err: (line) => lines.err.push(line),
        stdin: (async function* () {
          yield Buffer.from(input);
        })(),
      });
      const textOf = (all: string[]) => all.join("\n").replaceAll(`${folder}/`, "");
      const [out, err] = [textOf(lines.out), textOf(lines.err)];
      for (const text of [out, err]) for (const secret of ["canary", key]) expect(text).not.toContain(secret);
      return { code, out, err };
    },
  };
}

export const to = ({ url }: { url: string }) => ({ SONDE_URL: url, SONDE_KEY: key });
