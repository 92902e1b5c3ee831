/** Every fault of the environment at once, by name; the service does not start. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** `NAME: its fault`, one each; empty if the message is complete. */
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
