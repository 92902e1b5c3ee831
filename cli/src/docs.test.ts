import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bundleCommand } from "../build.ts";
import { applied, standIn } from "./testing/stand-in.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/as-code.md"), "utf8");
const blocks = [...text.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
  language,
  code,
}));
const yamlThat = (sign: string) =>
  blocks.find(({ language, code }) => language === "yaml" && code.includes(sign))!.code;
const shell = blocks
  .filter(({ language, code }) => language === "sh" && !code.includes("npm start"))
  .map(({ code }) => code);
const document = yamlThat("source: prod-git");

const secrets = { SONDE_KEY: "sonde_x", SLACK_URL: "https://hooks.slack.com/services/T/B/x" };
let command: Uint8Array;
let folder: string;
beforeAll(async () => void (command = await bundleCommand()));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sonde-docs-"));
  mkdirSync(join(folder, "monitoring"));
  writeFileSync(join(folder, "monitoring/sonde.yaml"), document);
  // Alpine images have it, but this machine may not.
  if (existsSync("/usr/bin/wget")) return;
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/wget"), '#!/bin/sh\nexec curl -fsSO "$2"\n');
  chmodSync(join(folder, "bin/wget"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const sonde = () =>
  standIn({
    "GET /downloads/sonde.mjs": () => ({ body: command }),
    "GET /api/monitors": { success: true, monitors: [] },
    "POST /api/apply": applied({ create: ["monitors.shop"] }),
  });
const asked = ({ received }: Awaited<ReturnType<typeof sonde>>) =>
  received.filter(({ method }) => method === "POST").map(({ path }) => path);

/** Runs a script like a pipeline, with the machine's own Node, against the stand-in instead of sonde.example.com. */
async function runScript(script: string, url: string, env: Record<string, string> = secrets, program = "bash") {
  const child = spawn(program, ["-e", "-c", script.replaceAll("https://sonde.example.com", url)], {
    cwd: folder,
    env: {
      PATH: `${folder}/bin:${folder}/.local/bin:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      SONDE_URL: url,
      ...env,
    },
  });
  child.stdin.on("error", () => {}); // Most scripts do not read it.
  child.stdin.end("sonde_x\n");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const code = await new Promise((done) => child.once("close", done));
  return { code, output };
}

test("every block of YAML is valid", () => {
  const yaml = blocks.filter(({ language }) => language === "yaml");
  expect(yaml).toHaveLength(6);
  for (const { code } of yaml) expect(parse(code)).toBeTypeOf("object");
});

test("the commands install, log in and apply", async () => {
  const to = await sonde();
  const { code, output } = await runScript(shell.join("\n"), to.url, { SLACK_URL: secrets.SLACK_URL, SONDE_URL: "" });
  expect([code, output]).toEqual([0, expect.stringContaining("Applied as my-git")]);
  expect(asked(to)).toEqual(["/api/apply?dryRun=true", "/api/apply"]);
});

test("every command in the tables exists, with its options", async () => {
  const to = await sonde();
  await runScript(shell[0]!, to.url);
  const named = [...text.matchAll(/^\| `(\w+)[^`]*` \|/gm)].map(([, name]) => name!);
  const { output } = await runScript("sonde --help", to.url);
  const commands = [...output.matchAll(/^ {2}(\w+) [[<]/gm)].map(([, name]) => name!).filter((name) => name !== "help");
  expect(named.toSorted()).toEqual(commands.toSorted());
  const helps = await Promise.all(named.map(async (name) => (await runScript(`sonde ${name} --help`, to.url)).output));
  for (const [, option = ""] of text.matchAll(/`(--[a-z-]+)/g)) expect(helps.join("\n")).toContain(option);
});

test("the chart has the values, and uses Secrets, as in the example", () => {
  type Schema = { properties: { config: { properties: Record<string, unknown> } } };
  const schema = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../charts/sonde/values.schema.json"), "utf8"),
  ) as Schema;
  const { config } = parse(yamlThat("# values.yaml")) as { config: Record<string, unknown> };
  expect(Object.keys(schema.properties.config.properties)).toEqual(expect.arrayContaining(Object.keys(config)));
  expect(config["envFrom"]).toEqual([{ secretRef: { name: expect.any(String) } }]);
});

test("GitHub Actions: a pull request shows the plan, a push applies it", async () => {
  type Step = { if?: string; run?: string };
  const { jobs } = parse(yamlThat("runs-on:")) as { jobs: { sonde: { env: Record<string, string>; steps: Step[] } } };
  const given = Object.entries(jobs.sonde.env).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ secrets\.(\w+) \}\}/, (_, secret: keyof typeof secrets) => secrets[secret]),
  ]);
  const runFor = async (event: string, env: Record<string, string>) => {
    const to = await sonde();
    const outputs = [];
    for (const step of jobs.sonde.steps) {
      if (step.run === undefined || (step.if !== undefined && !step.if.includes(`'${event}'`))) continue;
      const { code, output } = await runScript(step.run, to.url, { ...env, SONDE_URL: to.url });
      expect([step.run, code, output]).toEqual([step.run, 0, expect.any(String)]);
      outputs.push(output);
    }
    return { paths: asked(to), output: outputs.join("") };
  };
  const env = Object.fromEntries(given) as Record<string, string>;
  expect(env).toMatchObject(secrets);
  const pull = await runFor("pull_request", env);
  expect(pull.paths).toEqual(["/api/apply?dryRun=true"]);
  expect(pull.output).toMatch(/^::notice file=monitoring\/sonde\.yaml,line=\d+,col=3,title=Create::monitors\.shop$/m);
  expect((await runFor("push", env)).paths).toEqual(["/api/apply"]);
  expect((await runFor("pull_request", { SONDE_KEY: "", SLACK_URL: "" })).paths).toEqual([]);
});

test("GitLab CI: the plan of a merge request is a warning, the default branch applies it", async () => {
  type Job = { script: string[]; allow_failure?: { exit_codes: number } };
  const file = parse(yamlThat("before_script:")) as { default: { before_script: string[] } } & Record<string, Job>;
  const to = await sonde();
  for (const [name, expected] of [
    ["sonde-plan", 2],
    ["sonde-apply", 0],
  ] as const) {
    const job = file[name]!;
    const { code } = await runScript([...file.default.before_script, ...job.script].join("\n"), to.url, secrets, "sh");
    expect(code).toBe(expected);
    if (expected !== 0) expect(job.allow_failure?.exit_codes).toBe(expected);
    rmSync(join(folder, "sonde.mjs"));
  }
  expect(asked(to)).toEqual(["/api/apply?dryRun=true", "/api/apply"]);
});

test("Argo CD: the hook applies the mounted files", async () => {
  type Job = {
    spec: {
      template: {
        spec: { containers: { command: string[]; args: string[]; volumeMounts: { mountPath: string }[] }[] };
      };
    };
  };
  const [container] = (parse(yamlThat("argocd.argoproj.io/hook")) as Job).spec.template.spec.containers;
  expect(container).toMatchObject({ command: ["sh", "-ec"], volumeMounts: [{ mountPath: "/config" }] });
  const to = await sonde();
  const script = container!.args[0]!.replace("cd /tmp", `cd ${folder}`).replace("/config", join(folder, "monitoring"));
  expect(await runScript(script, to.url, secrets, "sh")).toMatchObject({
    code: 0,
    output: expect.stringContaining("Applied as prod-git"),
  });
  expect(asked(to)).toEqual(["/api/apply"]);
});
