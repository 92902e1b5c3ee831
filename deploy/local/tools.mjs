// Programs that tests and benchmarks need and npm does not have. As root, missing ones are installed from Debian packages.
// JavaScript for old versions of Node; see prepare.mjs.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { giveUp, step } from "./steps.mjs";

const chromiumPath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const isOnPath = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** Debian packages, each with a check whether its program is installed. */
const packages = {
  chromium: () => existsSync(chromiumPath),
  curl: () => isOnPath("curl"),
  "xz-utils": () => isOnPath("xz"),
  openssl: () => isOnPath("openssl"),
};

/**
 * Installs missing packages. Without permission it exits with a message.
 * @param problem start of the message: what does not work
 * @param otherwise end of the message: what works without them
 */
export async function getTools(required, problem, otherwise = "") {
  const missing = required.filter((name) => !packages[name]());
  if (missing.length === 0) return;
  const mayInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  const isPathWrong = Boolean(process.env.CHROMIUM_PATH) && missing.includes("chromium");
  if (!mayInstall || isPathWrong) {
    const orPath = missing.includes("chromium") ? " or set CHROMIUM_PATH" : "";
    const advice = `Install (Debian: \`sudo apt-get install ${missing.join(" ")}\`)${orPath}.`;
    giveUp([`${problem}: ${missing.join(", ")} missing.`, advice, otherwise].filter(Boolean).join(" "));
  }
  const quietly =
    "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install --no-install-recommends -y";
  await step(`Installing ${missing.join(", ")}`, "sh", ["-c", `${quietly} ${missing.join(" ")}`]);
}
