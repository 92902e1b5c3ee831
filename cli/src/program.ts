import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import about from "../package.json" with { type: "json" };
import { apply, diff, validateDocuments } from "./apply.ts";
import { completion, shells } from "./completion.ts";
import { exportConfig } from "./export.ts";
import { get, gettable } from "./get.ts";
import { importFile } from "./import.ts";
import { init } from "./init.ts";
import { login } from "./login.ts";
import { type Format, formats, printOutcome, printable } from "./output.ts";
import { run } from "./run.ts";
import { Ending, exitCodes, type Terminal } from "./terminal.ts";
import { verify } from "./verify.ts";

const path = () =>
  new Argument("[path]", "a file, or a folder with *.yaml, *.yml and *.json files").default("sonde.yaml");
const output = (...choices: readonly Format[]) =>
  new Option("--output <format>", "output format").choices(choices).default("text");

const atLeastNone = (text: string) => {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("");
  return Number(text);
};

/** `end` receives the exit code. */
export function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command("sonde")
    .description("Sonde as code: manages monitors and related configuration in files.")
    .version(about.version)
    .addHelpText("after", environment)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: () => {} });

  program
    .command("init")
    .description("writes a starter file")
    .argument("[file]", "file to write", "sonde.yaml")
    .action((file: string) => end(init(file, terminal)));
  program
    .command("validate")
    .description("validates files without contacting Sonde")
    .addArgument(path())
    .addOption(output(...formats))
    .option("--strict", "exits with code 4 on warnings")
    .action((from: string, options) => end(validateDocuments(from, options, terminal)));
  const sending = {
    diff: [diff, "shows what apply would change"],
    apply: [apply, "applies the files to Sonde"],
  } as const;
  for (const [name, [send, description]] of Object.entries(sending))
    program
      .command(name)
      .description(description)
      .addArgument(path())
      .addOption(output(...formats))
      .option("--source <name>", "source of the objects, overriding the one in the files")
      .option("--revision <text>", "revision of the files, such as a commit (default: GITHUB_SHA or CI_COMMIT_SHA)")
      .option("--allow-delete <number>", "maximum number of objects to remove", atLeastNone)
      .action(async (from: string, options) => end(await send(from, options, terminal)));
  program
    .command("export")
    .description("writes the current configuration as a file")
    .option("--into <file>", "updates a file and keeps its comments")
    .action(async (options) => end(await exportConfig(options, terminal)));
  program
    .command("import")
    .description("imports kuma.db from Uptime Kuma, checks from healthchecks.io, or a Sonde export")
    .argument("<file>")
    .option("--dry-run", "shows what would be imported and what cannot be")
    .addOption(output("text", "json"))
    .action(async (file: string, options) => end(await importFile(file, options, terminal)));
  program
    .command("get")
    .description("lists objects in Sonde; requires a key with scope read")
    .addArgument(new Argument("<what>").choices(Object.keys(gettable)))
    .addOption(output("text", "json"))
    .action(async (what: keyof typeof gettable, options) => end(await get(what, options, terminal)));
  program
    .command("login")
    .description("stores an address and an API key with scope config for this user")
    .argument("[url]")
    .action(async (url: string | undefined) => end(await login(url, terminal)));
  program
    .command("verify")
    .description("verifies a report offline")
    .argument("<file>", "the report as HTML")
    .option("--key <file>", "public key of the installation (PEM); otherwise the report's own")
    .action((file: string, options) => end(verify(file, options, terminal)));
  program
    .command("run")
    .description("runs a command and reports its start, end and last output to a heartbeat")
    .requiredOption("--ping <url>", "address of the heartbeat")
    .argument("<command...>", "command and arguments, after --")
    .passThroughOptions()
    .action(async (command: string[], options) => end(await run(command, options, terminal)));
  program
    .command("completion")
    .description("writes a shell completion script")
    .addArgument(new Argument("<shell>").choices(shells))
    .action((shell: (typeof shells)[number]) => {
      terminal.out(completion(shell, program));
      end(exitCodes.done);
    });
  return program;
}

/** Resolves to the exit code; never rejects. */
export async function runProgram(args: readonly string[], { out, err, ...rest }: Terminal): Promise<number> {
  const terminal = {
    ...rest,
    out: (text: string) => out(printable(text)),
    err: (text: string) => err(printable(text)),
  };
  let code: number = exitCodes.done;
  const program = createProgram(terminal, (ended) => (code = ended));
  // Subcommands inherit the settings of the program, but its errors are written here.
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, program, terminal);
    const ending = error instanceof Ending ? error : new Ending(exitCodes.error, unexpected(error));
    const at = args.findIndex((arg) => /^--output\b/.test(arg));
    const format = at < 0 ? "" : (args[at]!.split("=")[1] ?? args[at + 1]);
    printOutcome(
      { exitCode: ending.code, faults: ending.faults },
      formats.find((one) => one === format) ?? "text",
      terminal,
    );
    return ending.code;
  }
}

/** An unexpected error: of the system, such as a full disk, or a bug. */
function unexpected(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: "does not exist",
    EACCES: "cannot be accessed by this user",
    ENOSPC: "cannot be written: the disk is full",
    EISDIR: "is a folder",
    EROFS: "is on a read-only file system",
  };
  if (code !== undefined && path !== undefined) return `${path} ${reasons[code] ?? `cannot be used (${code})`}`;
  return `Something went wrong in this command: ${message}`;
}

/** Help and version throw a CommanderError, too. */
function usage({ code, exitCode, message }: CommanderError, program: Command, { out, err }: Terminal): number {
  if (exitCode === 0) return exitCodes.done;
  if (code === "commander.help") {
    out(program.helpInformation().trimEnd());
    return exitCodes.error;
  }
  const [, quoted = ""] = /'([^']*)'/.exec(message) ?? [];
  const [, choices] = /choices are (.+)\./.exec(message) ?? [];
  const sentences: Record<string, string> = {
    "commander.unknownCommand": `Unknown command ${quoted}`,
    "commander.unknownOption": `Unknown option ${quoted}`,
    "commander.missingArgument": `${quoted} is missing`,
    "commander.missingMandatoryOptionValue": `${quoted} is missing`,
    "commander.optionMissingArgument": `${quoted} requires a value`,
    "commander.excessArguments": "Too many arguments",
    "commander.invalidArgument":
      choices === undefined ? `The value of ${quoted} is not valid` : `${quoted} must be one of: ${choices}`,
  };
  err(`${sentences[code] ?? "The command is not valid"}; see sonde --help`);
  return exitCodes.error;
}

const environment = `
Environment:
  SONDE_URL  the address of Sonde
  SONDE_KEY  an API key with scope config; both override what login stored

Exit codes: 0 success; 1 error; 2 differences (diff); 3 rejected (conflict or too many removals); 4 invalid files`;
