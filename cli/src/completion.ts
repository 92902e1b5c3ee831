import type { Command } from "commander";

export const shells = ["bash", "zsh"] as const;

export function completion(shell: (typeof shells)[number], program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    words: [
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...command.options.flatMap(({ long }) => long ?? []),
    ],
  }));
  const formats = new Map(program.commands.map((command) => [command.name(), choicesOfOutput(command)]));
  const names = commands.map(({ name }) => name).join(" ");
  const add = (words: string) =>
    shell === "bash" ? `COMPREPLY+=($(compgen -W "${words}" -- "$word"))` : `compadd -- ${words}`;
  const cases = commands.flatMap(({ name, words }) => {
    const choices = formats.get(name)!;
    return [
      ...(choices === "" ? [] : [`    ${name}:--output) ${add(choices)} ;;`]),
      ...(words.length === 0 ? [] : [`    ${name}:*) ${add(words.join(" "))} ;;`]),
    ];
  });
  const [command, previous, first] =
    shell === "bash"
      ? ["${COMP_WORDS[1]}", "${COMP_WORDS[COMP_CWORD - 1]}", "COMP_CWORD == 1"]
      : ["${words[2]}", "${words[CURRENT - 1]}", "CURRENT == 2"];
  return [
    ...(shell === "zsh" ? ["#compdef sonde"] : []),
    "_sonde() {",
    ...(shell === "bash" ? ["  local word=${COMP_WORDS[COMP_CWORD]}", "  COMPREPLY=()"] : []),
    `  if (( ${first} )); then ${add(names)}; return; fi`,
    `  case ${command}:${previous} in`,
    ...cases,
    "  esac",
    ...(shell === "zsh" ? ["  _files"] : []),
    "}",
    shell === "bash" ? "complete -o default -F _sonde sonde" : "compdef _sonde sonde",
  ].join("\n");
}

const choicesOfOutput = (command: Command) =>
  (command.options.find(({ long }) => long === "--output")?.argChoices ?? []).join(" ");
