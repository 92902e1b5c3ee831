import { writeFileSync } from "node:fs";
import { storedLogin } from "./address.ts";
import { exitCodes, failed, type Terminal } from "./terminal.ts";

/** Never overwrites an existing file. */
export function init(file: string, { env, out }: Terminal): typeof exitCodes.done {
  const url = env.SONDE_URL?.replace(/\/+$/, "") || storedLogin(env)?.url || "https://sonde.example.com";
  try {
    writeFileSync(file, example(url), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw failed(`${file} already exists`);
    throw error;
  }
  out(`Created ${file}. Edit it, then run: sonde validate ${file}`);
  return exitCodes.done;
}

const example = (url: string) => `# yaml-language-server: $schema=${url}/api/config.schema.json
# The owner of these objects: fields set here can be changed only through this file.
source: my-git

# Defaults for all monitors.
defaults:
  monitor:
    interval: 1
    tags: [prod]

# Secrets come from environment variables, or from a file in this folder with {file: path}. They are never printed.
# channels:
#   ops:
#     type: slack
#     webhookUrl: {env: SLACK_URL}

# The key of a monitor is its identity; its name can change.
monitors:
  website:
    name: Website
    url: https://example.com/
`;
