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

const path = () => new Argument("[path]", "a file, or a folder of *.yaml, *.yml and *.json").default("sonde.yaml");
const output = (...choices: readonly Format[]) =>
  new Option("--output <format>", "how to write what is found").choices(choices).default("text");

const atLeastNone = (text: string) => {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("");
  return Number(text);
};

/** The command line; `end` receives the code that a command ends with. */
export function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command("sonde")
    .description("Sonde as code: keeps monitors and all that belongs to them in files.")
    .version(about.version)
    .addHelpText("after", environment)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: () => {} });

  program
    .command("init")
    .description("writes a file to begin with")
    .argument("[file]", "where", "sonde.yaml")
    .action((file: string) => end(init(file, terminal)));
  program
    .command("validate")
    .description("validates files, without asking Sonde")
    .addArgument(path())
    .addOption(output(...formats))
    .option("--strict", "exits with code 4 if there are warnings")
    .action((from: string, options) => end(validateDocuments(from, options, terminal)));
  const sending = {
    diff: [diff, "shows what apply would do"],
    apply: [apply, "makes Sonde as the files say"],
  } as const;
  for (const [name, [send, description]] of Object.entries(sending))
    program
      .command(name)
      .description(description)
      .addArgument(path())
      .addOption(output(...formats))
      .option("--source <name>", "whose the objects are, instead of source in the files")
      .option("--revision <text>", "what the files are of, such as a commit (GITHUB_SHA, CI_COMMIT_SHA)")
      .option("--allow-delete <number>", "how many objects may be removed", atLeastNone)
      .action(async (from: string, options) => end(await send(from, options, terminal)));
  program
    .command("export")
    .description("writes what is in Sonde as such a file")
    .option("--into <file>", "brings a file up to date, with its comments")
    .action(async (options) => end(await exportConfig(options, terminal)));
  program
    .command("import")
    .description("takes over from kuma.db of Uptime Kuma, or an export of Sonde")
    .argument("<file>")
    .option("--dry-run", "shows what would come, and what cannot")
    .addOption(output("text", "json"))
    .action(async (file: string, options) => end(await importFile(file, options, terminal)));
  program
    .command("get")
    .description("lists what is in Sonde; needs a key of scope read")
    .addArgument(new Argument("<what>").choices(Object.keys(gettable)))
    .addOption(output("text", "json"))
    .action(async (what: keyof typeof gettable, options) => end(await get(what, options, terminal)));
  program
    .command("login")
    .description("keeps an address and an API key of scope config for this user")
    .argument("[url]")
    .action(async (url: string | undefined) => end(await login(url, terminal)));
  program
    .command("run")
    .description("runs a command and sends its start, its end and its last output to a heartbeat")
    .requiredOption("--ping <url>", "the address of the heartbeat")
    .argument("<command...>", "after --")
    .passThroughOptions()
    .action(async (command: string[], options) => end(await run(command, options, terminal)));
  program
    .command("completion")
    .description("writes a script that completes these commands")
    .addArgument(new Argument("<shell>").choices(shells))
    .action((shell: (typeof shells)[number]) => {
      terminal.out(completion(shell, program));
      end(exitCodes.done);
    });
  return program;
}

/** Runs one command line; resolves to its exit code and never rejects. */
export async function runProgram(args: readonly string[], { out, err, ...rest }: Terminal): Promise<number> {
  const terminal = {
    ...rest,
    out: (text: string) => out(printable(text)),
    err: (text: string) => err(printable(text)),
  };
  let code: number = exitCodes.done;
  const program = createProgram(terminal, (ended) => (code = ended));
  // A subcommand has the settings of the program that made it, but what it writes is decided here.
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

/** A fault that no command expected: of the system, such as a full disk, or ours. */
function unexpected(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: "is not there",
    EACCES: "may not be used by this user",
    ENOSPC: "has no room: the disk is full",
    EISDIR: "is a folder",
    EROFS: "cannot be written there",
  };
  if (code !== undefined && path !== undefined) return `${path} ${reasons[code] ?? `cannot be used (${code})`}`;
  return `Something went wrong in this command: ${message}`;
}

/** Help and version end in such an error, too. */
function usage({ code, exitCode, message }: CommanderError, program: Command, { out, err }: Terminal): number {
  if (exitCode === 0) return exitCodes.done;
  if (code === "commander.help") {
    out(program.helpInformation().trimEnd());
    return exitCodes.error;
  }
  const [, quoted = ""] = /'([^']*)'/.exec(message) ?? [];
  const [, choices] = /choices are (.+)\./.exec(message) ?? [];
  const sentences: Record<string, string> = {
    "commander.unknownCommand": `There is no command ${quoted}`,
    "commander.unknownOption": `There is no option ${quoted}`,
    "commander.missingArgument": `${quoted} is missing`,
    "commander.missingMandatoryOptionValue": `${quoted} is missing`,
    "commander.optionMissingArgument": `${quoted} needs a value`,
    "commander.excessArguments": "There are too many arguments",
    "commander.invalidArgument": `${quoted} takes ${choices ?? "another value"}`,
  };
  err(`${sentences[code] ?? "The command is not valid"}; see sonde --help`);
  return exitCodes.error;
}

const environment = `
Environment:
  SONDE_URL  the address of Sonde
  SONDE_KEY  an API key of scope config; both instead of what login keeps

Exit codes: 0 done; 1 error; 2 differences (diff); 3 refused (a conflict, too many removals); 4 invalid files`;
