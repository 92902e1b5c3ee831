export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** `NAME: problem` of each variable; empty if `what` was a complete message. */
  readonly faults: readonly string[];

  constructor(what: string | readonly string[]) {
    const lines = typeof what === "string" ? [] : what;
    super(
      typeof what === "string"
        ? what
        : `The configuration is not valid.\n${lines.map((line) => `  ${line}`).join("\n")}`,
    );
    this.faults = lines;
  }
}
