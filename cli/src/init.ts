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
# Whose these objects are: what this file says of them can be changed by this file alone.
source: my-git

# What each monitor has where it says nothing else.
defaults:
  monitor:
    interval: 1
    tags: [prod]

# A secret is read from the environment, or from a file in this folder by {file: path}, and is never printed.
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
